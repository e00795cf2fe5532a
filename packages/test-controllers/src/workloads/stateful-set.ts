import type { Pod } from '@nodeagent/api';
import { isPodAvailable, isPodReady, isTerminalPhase } from '@nodeagent/api/helpers';
import type { ControllerRevision, PodTemplate, Reconciliation, StatefulSet, Write } from './objects.js';
import { controlledBy, controllerReference, earliest, podFromTemplate, statusWrites } from './ownership.js';
import { availableAt, replaceableAt } from './pod-states.js';
import { templateHash } from './template-hash.js';

const revisionLabel = 'controller-revision-hash';

export interface StatefulSetInput {
  statefulSet: StatefulSet;
  /** May be all of the namespace, as the revisions. */
  pods: readonly Pod[];
  revisions: readonly ControllerRevision[];
  /** Names of the namespace's claims. */
  claims: ReadonlySet<string>;
  now: number;
}

/**
 * Reconciles a StatefulSet: its pods one after another, or all at once with the policy `Parallel`, its claims, the update of its pods from
 * the highest ordinal down to the partition, and its status. Claims are kept. Kubernetes documentation, "StatefulSets".
 */
export function reconcileStatefulSet(input: StatefulSetInput): Reconciliation {
  const { statefulSet, now } = input;
  const pods = controlledBy(input.pods, statefulSet);
  const status = statusOf(statefulSet, pods, now);
  const minReadySeconds = statefulSet.spec.minReadySeconds ?? 0;
  const again = earliest(pods.flatMap((pod) => [availableAt(pod, minReadySeconds, now), waitsUntil(pod, now)]));
  if (statefulSet.metadata.deletionTimestamp) return { writes: statusWrites(statefulSet, status) };
  const revisions = controlledBy(input.revisions, statefulSet);
  const writes = [...revisionWrites(statefulSet, revisions, pods), ...podWrites(input, pods, revisions)];
  return { writes: [...writes, ...statusWrites(statefulSet, status)], ...again };
}

const waitsUntil = (pod: Pod, now: number): number | undefined => {
  const at = replaceableAt(pod);
  return at !== undefined && at > now ? at : undefined;
};

const nameOf = ({ metadata }: StatefulSet): string => metadata.name ?? '';
const updateRevision = (statefulSet: StatefulSet): string => `${nameOf(statefulSet)}-${templateHash(statefulSet.spec.template)}`;
const revisionOf = ({ metadata }: Pod): string | undefined => metadata?.labels?.[revisionLabel];
const ordinalOf = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata?.name ?? '')?.[1] ?? -1);
/** Whether the pod's name is that of a pod of the set. */
export const isPodOf = (statefulSet: StatefulSet, { metadata }: Pod): boolean =>
  metadata?.name?.replace(/-\d+$/, '') === nameOf(statefulSet) && /-\d+$/.test(metadata.name);
const isTerminating = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp !== undefined;

/** The ordinals of the set: from `first` up to `end`, which is not included. */
function ordinalsOf({ spec }: StatefulSet): { first: number; end: number } {
  const first = spec.ordinals?.start ?? 0;
  return { first, end: first + (spec.replicas ?? 1) };
}

/** The first ordinal that a rolling update changes. */
function partitionOf(statefulSet: StatefulSet): number {
  const { type = 'RollingUpdate', rollingUpdate } = statefulSet.spec.updateStrategy ?? {};
  const { first, end } = ordinalsOf(statefulSet);
  return type === 'RollingUpdate' ? first + (rollingUpdate?.partition ?? 0) : end;
}

/** The next pods to create and to delete. With the policy `OrderedReady` each step waits for the pods of lower ordinals. */
function podWrites(
  { statefulSet, claims, now }: StatefulSetInput,
  pods: readonly Pod[],
  revisions: readonly ControllerRevision[],
): Write[] {
  const { minReadySeconds = 0, podManagementPolicy } = statefulSet.spec;
  const isOrdered = podManagementPolicy !== 'Parallel';
  const { first, end } = ordinalsOf(statefulSet);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const isHealthy = (pod: Pod) => !isTerminating(pod) && isPodAvailable(pod, minReadySeconds, now);
  const writes: Write[] = [];
  for (let ordinal = first; ordinal < end; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) writes.push(...creation(statefulSet, ordinal, revisions, claims));
    else if (isTerminalPhase(pod.status?.phase) && !isTerminating(pod)) {
      if (waitsUntil(pod, now) === undefined) writes.push({ verb: 'delete', object: pod });
    } else if (isHealthy(pod)) continue;
    if (isOrdered) return writes;
  }
  const surplus = pods.filter((pod) => ordinalOf(pod) < first || ordinalOf(pod) >= end).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  const removable = isOrdered ? surplus.slice(0, 1) : surplus;
  for (const pod of removable) if (!isTerminating(pod)) writes.push({ verb: 'delete', object: pod });
  if (writes.length > 0 || (isOrdered && surplus.length > 0)) return writes;
  for (let ordinal = end - 1; ordinal >= partitionOf(statefulSet); ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod && !isTerminating(pod) && revisionOf(pod) !== updateRevision(statefulSet)) return [{ verb: 'delete', object: pod }];
    if (pod === undefined || !isHealthy(pod)) return [];
  }
  return [];
}

/** The pod of an ordinal, after its missing claims. */
function creation(
  statefulSet: StatefulSet,
  ordinal: number,
  revisions: readonly ControllerRevision[],
  claims: ReadonlySet<string>,
): Write[] {
  const { metadata, spec, status } = statefulSet;
  const { volumeClaimTemplates = [], selector, serviceName } = spec;
  const { namespace } = metadata;
  const name = `${nameOf(statefulSet)}-${ordinal}`;
  const current = revisions.find((revision) => revision.metadata.name === status?.currentRevision);
  const isOld = spec.updateStrategy?.type !== 'OnDelete' && ordinal < partitionOf(statefulSet) && current !== undefined;
  const [template, revision] = isOld
    ? [current.data.spec.template, current.metadata.name ?? '']
    : [spec.template, updateRevision(statefulSet)];
  const claimOf = (volume = '') => `${volume}-${name}`;
  const missing = volumeClaimTemplates.filter((claim) => !claims.has(claimOf(claim.metadata?.name)));
  const claimed = volumeClaimTemplates.map((claim) => ({
    name: claim.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimOf(claim.metadata?.name) },
  }));
  const others = (template.spec.volumes ?? []).filter((volume) => !claimed.some((each) => each.name === volume.name));
  const volumes = [...others, ...claimed];
  const pod = podFromTemplate(statefulSet, withLabels(template, { name, ordinal, revision }));
  const { generateName: _, ...podMeta } = pod.metadata ?? {};
  return [
    ...missing.map((claim): Write => {
      const labels = { ...claim.metadata?.labels, ...selector?.matchLabels };
      const own = { ...claim.metadata, name: claimOf(claim.metadata?.name), ...(namespace && { namespace }), labels };
      return { verb: 'create', object: { ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: own } };
    }),
    {
      verb: 'create',
      object: {
        ...pod,
        metadata: { ...podMeta, name },
        spec: { ...template.spec, hostname: name, ...(serviceName && { subdomain: serviceName }), ...(volumes.length > 0 && { volumes }) },
      },
    },
  ];
}

function withLabels({ metadata, spec }: PodTemplate, pod: { name: string; ordinal: number; revision: string }): PodTemplate {
  const labels = {
    ...metadata?.labels,
    'statefulset.kubernetes.io/pod-name': pod.name,
    'apps.kubernetes.io/pod-index': String(pod.ordinal),
    [revisionLabel]: pod.revision,
  };
  return { metadata: { ...metadata, labels }, spec };
}

/** Creates the revision of the current template, and deletes old ones without pods beyond `revisionHistoryLimit`. */
function revisionWrites(statefulSet: StatefulSet, revisions: readonly ControllerRevision[], pods: readonly Pod[]): Write[] {
  const { metadata, spec, status } = statefulSet;
  const name = updateRevision(statefulSet);
  const used = new Set([name, status?.currentRevision, ...pods.map(revisionOf)]);
  const unused = revisions.filter((each) => !used.has(each.metadata.name)).sort((a, b) => a.revision - b.revision);
  const surplus = unused.slice(0, Math.max(0, unused.length - (spec.revisionHistoryLimit ?? 10)));
  const deletions = surplus.map((object): Write => ({ verb: 'delete', object }));
  if (revisions.some((each) => each.metadata.name === name)) return deletions;
  const revision: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      ...(metadata.namespace && { namespace: metadata.namespace }),
      labels: { ...spec.template.metadata?.labels, 'controller.kubernetes.io/hash': templateHash(spec.template) },
      ownerReferences: [controllerReference(statefulSet)],
    },
    data: { spec: { template: spec.template } },
    revision: Math.max(0, ...revisions.map((each) => each.revision)) + 1,
  };
  return [...deletions, { verb: 'create', object: revision }];
}

function statusOf(statefulSet: StatefulSet, pods: readonly Pod[], now: number): NonNullable<StatefulSet['status']> {
  const { metadata, spec, status: before = {} } = statefulSet;
  const update = updateRevision(statefulSet);
  const present = pods.filter(({ status }) => !isTerminalPhase(status?.phase));
  const count = (holds: (pod: Pod) => boolean) => present.filter(holds).length;
  const updatedReplicas = count((pod) => revisionOf(pod) === update);
  const readyReplicas = count(isPodReady);
  const isRolledOut = updatedReplicas === present.length && readyReplicas === present.length && present.length === (spec.replicas ?? 1);
  const currentRevision = isRolledOut ? update : (before.currentRevision ?? update);
  return {
    replicas: present.length,
    readyReplicas,
    availableReplicas: count((pod) => isPodAvailable(pod, spec.minReadySeconds ?? 0, now)),
    currentReplicas: count((pod) => revisionOf(pod) === currentRevision),
    updatedReplicas,
    currentRevision,
    updateRevision: update,
    collisionCount: 0,
    observedGeneration: metadata.generation ?? 0,
  };
}
