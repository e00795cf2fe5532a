import type { PersistentVolumeClaim, Pod } from '@nodeagent/api';
import { equalJson, isPodAvailable, isPodReady, isTerminalPhase } from '@nodeagent/api/helpers';
import { type History, historyWrites, planHistory, revisionLabel, revisionOf, templateOf } from './history.js';
import type { ControllerRevision, PodTemplate, Reconciliation, StatefulSet, Write } from './objects.js';
import { controlledBy, earliest, podFromTemplate, scaledValue, statusWrites } from './ownership.js';
import { availableAt, replaceableAt } from './pod-states.js';
import { claimVolumes, isAnyClaimStale, missingClaims, retentionWrites } from './stateful-set-claims.js';

export interface StatefulSetInput {
  statefulSet: StatefulSet;
  /** May be all of the namespace, as the revisions and claims. */
  pods: readonly Pod[];
  revisions: readonly ControllerRevision[];
  claims: readonly PersistentVolumeClaim[];
  now: number;
}

/** What the steps of a reconcile share. */
interface Context {
  statefulSet: StatefulSet;
  pods: readonly Pod[];
  claims: ReadonlyMap<string, PersistentVolumeClaim>;
  /** Names of the revisions. */
  update: string;
  /** The revision before a rolling update; the same otherwise. */
  current: ControllerRevision;
  now: number;
}

/**
 * Reconciles a StatefulSet: its pods one after another, or all at once with the policy `Parallel`, its claims, the update of its pods from
 * the highest ordinal down to the partition, its revisions and its status. Kubernetes documentation, "StatefulSets".
 */
export function reconcileStatefulSet(input: StatefulSetInput): Reconciliation {
  const { statefulSet, now } = input;
  const pods = controlledBy(input.pods, statefulSet);
  const history = planHistory(statefulSet, input.revisions, (hash) => ({ 'controller.kubernetes.io/hash': hash }));
  const own = controlledBy(input.revisions, statefulSet);
  const current = own.find(({ metadata }) => metadata.name === statefulSet.status?.currentRevision) ?? history.update;
  const update = history.update.metadata.name ?? '';
  const minReadySeconds = statefulSet.spec.minReadySeconds ?? 0;
  const again = earliest(pods.flatMap((pod) => [availableAt(pod, minReadySeconds, now), waitsUntil(pod, now)]));
  const counted = statusOf(statefulSet, pods, history, current.metadata.name ?? '', now);
  if (statefulSet.metadata.deletionTimestamp) return { writes: statusWrites(statefulSet, counted) };
  const live = new Set([update, current.metadata.name, ...pods.map(revisionOf)]);
  const claims = new Map(input.claims.map((claim) => [claim.metadata?.name ?? '', claim]));
  const { writes, updates } = podWrites({ statefulSet, pods, claims, update, current, now });
  const removals = historyWrites(own, live, statefulSet.spec.revisionHistoryLimit);
  // Pods that the update deletes are no longer counted as current.
  const status = { ...counted, currentReplicas: Math.max(0, counted.currentReplicas - updates.length) };
  return { writes: [...history.writes, ...writes, ...updates, ...removals, ...statusWrites(statefulSet, status)], ...again };
}

const waitsUntil = (pod: Pod, now: number): number | undefined => {
  const at = replaceableAt(pod);
  return at !== undefined && at > now ? at : undefined;
};

const nameOf = ({ metadata }: StatefulSet): string => metadata.name ?? '';
const ordinalOf = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata?.name ?? '')?.[1] ?? -1);
const isTerminating = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

/** Whether the pod's name is that of a pod of the set. */
export const isPodOf = (statefulSet: StatefulSet, { metadata }: Pod): boolean =>
  metadata?.name?.replace(/-\d+$/, '') === nameOf(statefulSet) && /-\d+$/.test(metadata.name);

/** The ordinals of the set: from `first` up to `end`, which is not included. */
function ordinalsOf({ spec }: StatefulSet): { first: number; end: number } {
  const first = spec.ordinals?.start ?? 0;
  return { first, end: first + (spec.replicas ?? 1) };
}

const isRolling = ({ spec }: StatefulSet): boolean => (spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate';

/**
 * The next writes of pods and their claims, and those of an update. With the policy `OrderedReady` each step waits for the pods of lower
 * ordinals.
 */
function podWrites(context: Context): { writes: Write[]; updates: Write[] } {
  const { statefulSet, pods, claims } = context;
  const { first, end } = ordinalsOf(statefulSet);
  const isOrdered = statefulSet.spec.podManagementPolicy !== 'Parallel';
  const { writes, isBlocked } = replicaWrites(context, isOrdered);
  const retention = pods.flatMap((pod) => retentionWrites(statefulSet, pod, ordinalOf(pod) < first || ordinalOf(pod) >= end, claims));
  if (isBlocked) return { writes: [...writes, ...retention], updates: [] };
  const surplus = pods.filter((pod) => ordinalOf(pod) < first || ordinalOf(pod) >= end).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const removals = surplusWrites(context, surplus, isOrdered);
  const isBusy = writes.length + removals.length > 0 || (isOrdered && surplus.length > 0);
  const updates = isBusy || !isRolling(statefulSet) ? [] : updateWrites(context);
  return { writes: [...writes, ...retention, ...removals], updates };
}

const isHealthy = (pod: Pod, { statefulSet, now }: Context): boolean =>
  !isTerminating(pod) && isPodAvailable(pod, statefulSet.spec.minReadySeconds ?? 0, now);

/** Creates the pods of the ordinals, and replaces those that have terminated. */
function replicaWrites(context: Context, isOrdered: boolean): { writes: Write[]; isBlocked: boolean } {
  const { statefulSet, pods, claims, now } = context;
  const { first, end } = ordinalsOf(statefulSet);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const writes: Write[] = [];
  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    const name = `${nameOf(statefulSet)}-${ordinal}`;
    if (pod === undefined) {
      if (!isAnyClaimStale(statefulSet, name, claims)) writes.push(...missingClaims(statefulSet, name, claims), creation(context, ordinal));
    } else if (isTerminalPhase(pod.status?.phase)) {
      if (!isTerminating(pod) && waitsUntil(pod, now) === undefined) writes.push({ verb: 'delete', object: pod });
    } else {
      const labels = { ...pod.metadata?.labels, ...identityLabels(name, ordinal) };
      if (!equalJson(labels, pod.metadata?.labels))
        writes.push({ verb: 'update', object: { ...pod, metadata: { ...pod.metadata, labels } } });
      if (pod.status?.phase === 'Pending') writes.push(...missingClaims(statefulSet, name, claims));
      if (isHealthy(pod, context)) continue;
    }
    if (isOrdered) return { writes, isBlocked: true };
  }
  return { writes, isBlocked: false };
}

/** Labels of a pod, which an adopted one gets too. */
const identityLabels = (name: string, ordinal: number) => ({
  'statefulset.kubernetes.io/pod-name': name,
  'apps.kubernetes.io/pod-index': String(ordinal),
});

/** Deletes pods beyond the range: in order only the highest one, and not while a lower one is unhealthy. */
function surplusWrites(context: Context, surplus: readonly Pod[], isOrdered: boolean): Write[] {
  const lowestUnhealthy = surplus.findLast((pod) => !isHealthy(pod, context));
  const [highest] = surplus;
  const isWaiting = isOrdered && highest && !isHealthy(highest, context) && highest !== lowestUnhealthy;
  const removable = isWaiting ? [] : isOrdered ? surplus.slice(0, 1) : surplus;
  return removable.filter((pod) => !isTerminating(pod)).map((object) => ({ verb: 'delete', object }));
}

/** Deletes pods of older revisions from the highest ordinal down, as many at a time as may be unavailable. */
function updateWrites(context: Context): Write[] {
  const { statefulSet, pods, update } = context;
  const { partition = 0, maxUnavailable } = statefulSet.spec.updateStrategy?.rollingUpdate ?? {};
  const { first, end } = ordinalsOf(statefulSet);
  const limit = Math.max(1, scaledValue(maxUnavailable ?? 1, end - first, Math.floor));
  const replicas = pods.filter((pod) => ordinalOf(pod) >= first && ordinalOf(pod) < end).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const isOutdated = (pod: Pod) => revisionOf(pod) !== update && !isTerminating(pod);
  const targets = replicas.filter((pod) => ordinalOf(pod) >= first + partition);
  if (maxUnavailable === undefined) {
    const next = targets.find((pod) => isOutdated(pod) || !isHealthy(pod, context));
    return next && isOutdated(next) ? [{ verb: 'delete', object: next }] : [];
  }
  const room = limit - (end - first - replicas.filter((pod) => isHealthy(pod, context)).length);
  return targets
    .filter(isOutdated)
    .slice(0, Math.max(0, room))
    .map((object) => ({ verb: 'delete', object }));
}

/** The pod of an ordinal: below the partition of the previous revision. */
function creation({ statefulSet, current, update }: Context, ordinal: number): Write {
  const { spec } = statefulSet;
  const { partition = 0 } = spec.updateStrategy?.rollingUpdate ?? {};
  const isOld = isRolling(statefulSet) && ordinal < ordinalsOf(statefulSet).first + partition;
  const name = `${nameOf(statefulSet)}-${ordinal}`;
  const template = isOld ? templateOf(current) : spec.template;
  const labels = {
    ...template.metadata?.labels,
    ...identityLabels(name, ordinal),
    [revisionLabel]: (isOld ? current.metadata.name : update) ?? '',
  };
  const claimed = claimVolumes(statefulSet, name);
  const others = (template.spec.volumes ?? []).filter((volume) => !claimed.some((each) => each.name === volume.name));
  const volumes = [...others, ...claimed];
  const labelled: PodTemplate = { metadata: { ...template.metadata, labels }, spec: template.spec };
  const { metadata, ...pod } = podFromTemplate(statefulSet, labelled);
  return {
    verb: 'create',
    object: {
      ...pod,
      metadata: { ...metadata, name },
      spec: {
        ...template.spec,
        hostname: name,
        ...(spec.serviceName && { subdomain: spec.serviceName }),
        ...(volumes.length > 0 && { volumes }),
      },
    },
  };
}

function statusOf(
  { metadata, spec }: StatefulSet,
  pods: readonly Pod[],
  { update, collisionCount }: History,
  currentRevision: string,
  now: number,
) {
  const count = (holds: (pod: Pod) => boolean) => pods.filter(holds).length;
  const updateRevision = update.metadata.name ?? '';
  const ofRevision = (name: string) => count((pod) => !isTerminating(pod) && revisionOf(pod) === name);
  const isRunning = ({ status }: Pod) => status?.phase === 'Running';
  const updatedReplicas = ofRevision(updateRevision);
  const readyReplicas = count((pod) => isRunning(pod) && isPodReady(pod));
  const wanted = spec.replicas ?? 1;
  const isComplete = updatedReplicas === wanted && readyReplicas === wanted && pods.length === wanted;
  const isRolledOut = isComplete && (spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
  return {
    replicas: pods.length,
    readyReplicas,
    availableReplicas: count((pod) => isRunning(pod) && isPodAvailable(pod, spec.minReadySeconds ?? 0, now)),
    currentReplicas: isRolledOut ? updatedReplicas : ofRevision(currentRevision),
    updatedReplicas,
    currentRevision: isRolledOut ? updateRevision : currentRevision,
    updateRevision,
    collisionCount,
    observedGeneration: metadata.generation ?? 0,
  };
}
