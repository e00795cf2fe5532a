import type { Node, Pod, Toleration } from '@nodeagent/api';
import { findUntoleratedTaint, isPodAvailable, isPodReady, isTerminalPhase, matchesNodeAffinity } from '@nodeagent/api/helpers';
import { nodeTaints } from '../scheduler/node-taints.js';
import { historyWrites, planHistory, revisionLabel, revisionOf } from './history.js';
import type { ControllerRevision, DaemonSet, EventText, PodTemplate, Reconciliation, Write } from './objects.js';
import { controlledBy, earliest, podFromTemplate, scaledValue, statusWrites } from './ownership.js';
import { availableAt, isActive } from './pod-states.js';
import { templateHash } from './template-hash.js';

const tolerate = (name: string, effect: string): Toleration => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect });

/** Tolerations of every pod of a DaemonSet. Kubernetes documentation, "DaemonSet: Taints and tolerations". */
const daemonTolerations: readonly Toleration[] = [
  tolerate('not-ready', 'NoExecute'),
  tolerate('unreachable', 'NoExecute'),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => tolerate(name, 'NoSchedule')),
];

export interface DaemonSetInput {
  daemonSet: DaemonSet;
  nodes: readonly Node[];
  /** May be all of the namespace, as the revisions. */
  pods: readonly Pod[];
  /** Default: none are kept. */
  revisions?: readonly ControllerRevision[];
  /** The back-off of each node whose pod failed, from the last reconcile. Default: none. */
  failures?: NodeFailures;
  now: number;
}

/** When the failed pod of a node was deleted last, and how long the next one stays. Times in milliseconds since 1970, by the names of nodes. */
export type NodeFailures = ReadonlyMap<string, { at: number; delayMs: number }>;

const firstDelayMs = 1_000;
const longestDelayMs = 900_000;

/** The pods of a DaemonSet on one node. */
interface OnNode {
  node: Node;
  name: string;
  /** Whether the template fits the node. */
  isWanted: boolean;
  /** The first of each that is active; the second one only in a rolling update with a surge. */
  current: Pod | undefined;
  old: Pod | undefined;
  /** Whether no pod is there, not even a terminating one. */
  isEmpty: boolean;
}

/**
 * Reconciles a DaemonSet: one pod on each node that fits its template, none elsewhere; replaces pods of an older template a few at a time, or after
 * their successors are available if it may surge; keeps its revisions. The pods are bound to their nodes by affinity, and need a scheduler.
 * Kubernetes documentation, "DaemonSet".
 */
export function reconcileDaemonSet(input: DaemonSetInput): Reconciliation & { failures: NodeFailures } {
  const { daemonSet, nodes, now, revisions } = input;
  const { minReadySeconds = 0, revisionHistoryLimit } = daemonSet.spec;
  const history = revisions && planHistory(daemonSet, revisions, (hash) => ({ [revisionLabel]: hash }));
  const template = daemonTemplate(daemonSet, history?.update.metadata.labels?.[revisionLabel]);
  const hash = template.metadata?.labels?.[revisionLabel];
  const pods = controlledBy(input.pods, daemonSet);
  const live = pods.filter(({ metadata }) => !metadata?.deletionTimestamp);
  const places = nodes.map((node) => placeOn(node, template, hash, pods));
  const isAvailable = (pod: Pod) => isPodAvailable(pod, minReadySeconds, now);
  const update = updatePlan(daemonSet, places, isAvailable);
  const kept = new Set(
    places.flatMap(({ node, isWanted, current, old }) => (isWanted || toleratesNode(node, template) ? keptPods(current, old, update) : [])),
  );
  const stays = (pod: Pod) => places.some(({ name, node }) => name === targetNode(pod) && toleratesNode(node, template));
  const failed = live.filter((pod) => pod.status?.phase === 'Failed' && stays(pod));
  const backoff = backOff(failed, input.failures ?? new Map(), now);
  const names = new Set(places.map(({ name }) => name));
  // Bound pods of deleted nodes are left to the garbage collector of pods.
  const surplus = live.filter(
    (pod) => !kept.has(pod) && !backoff.waiting.has(pod) && (!pod.spec?.nodeName || names.has(pod.spec.nodeName)),
  );
  const removed = new Set([...surplus, ...update.remove]);
  const create = places.filter(({ isWanted, isEmpty, name }) => isWanted && (isEmpty || update.surgeOn.has(name)));

  const status = statusOf(daemonSet, places, isAvailable, history?.collisionCount);
  const used = new Set([history?.update.metadata.name, ...live.map((pod) => `${daemonSet.metadata.name}-${revisionOf(pod)}`)]);
  const writes: Write[] = [
    ...(history?.writes ?? []),
    ...create.map(({ name }): Write => ({ verb: 'create', object: podFromTemplate(daemonSet, onNode(template, name)) })),
    ...[...removed].map((object): Write => ({ verb: 'delete', object })),
    ...(revisions ? historyWrites(controlledBy(revisions, daemonSet), used, revisionHistoryLimit) : []),
  ];
  const events = [...removed].flatMap(terminatedEvent);
  return {
    writes: [...(daemonSet.metadata.deletionTimestamp ? [] : writes), ...statusWrites(daemonSet, status)],
    ...(events.length > 0 && { events }),
    ...earliest([...live.filter(isActive).map((pod) => availableAt(pod, minReadySeconds, now)), ...backoff.waiting.values()]),
    failures: backoff.failures,
  };
}

/**
 * The failed pods that stay for now, with the end of that: on each node 1 s after the deletion of the previous one, doubled up to 15 min. A node
 * without a failure for half an hour starts again.
 */
function backOff(failed: readonly Pod[], before: NodeFailures, now: number) {
  const failures = new Map(before);
  const waiting = new Map<Pod, number>();
  for (const pod of failed) {
    const name = targetNode(pod) ?? '';
    const last = failures.get(name);
    if (last && now < last.at + last.delayMs) waiting.set(pod, last.at + last.delayMs);
    else {
      const isForgotten = !last || now - last.at > 2 * longestDelayMs;
      failures.set(name, { at: now, delayMs: isForgotten ? firstDelayMs : Math.min(longestDelayMs, 2 * last.delayMs) });
    }
  }
  return { failures, waiting };
}

/**
 * Whether the controller reacts to a change of a node: it needs a pod, or must not keep the one it has. Other changes count in the next step
 * for another reason.
 */
export function concernsNode(daemonSet: DaemonSet, node: Node, hasPod: boolean): boolean {
  const template = daemonTemplate(daemonSet, 'any');
  return hasPod ? !toleratesNode(node, template) : shouldRun(node, template, ['NoSchedule', 'NoExecute']);
}

function placeOn(node: Node, template: PodTemplate, hash: string | undefined, all: readonly Pod[]): OnNode {
  const name = node.metadata?.name ?? '';
  const pods = all.filter((pod) => targetNode(pod) === name);
  const active = pods.filter(isActive).sort(byAge);
  return {
    node,
    name,
    isWanted: shouldRun(node, template, ['NoSchedule', 'NoExecute']),
    current: active.find((pod) => revisionOf(pod) === hash),
    old: active.find((pod) => revisionOf(pod) !== hash),
    isEmpty: pods.every(({ metadata, status }) => metadata?.deletionTimestamp && isTerminalPhase(status?.phase)),
  };
}

const byAge = (a: Pod, b: Pod): number => ((a.metadata?.creationTimestamp ?? '') < (b.metadata?.creationTimestamp ?? '') ? -1 : 1);

interface UpdatePlan {
  maxSurge: number;
  /** Names of the nodes that get a second pod. */
  surgeOn: ReadonlySet<string>;
  remove: readonly Pod[];
}

/** The pods of a node that stay: one, in a rolling update with a surge one of each template. */
function keptPods(current: Pod | undefined, old: Pod | undefined, { maxSurge }: UpdatePlan): Pod[] {
  const both = [old, current].filter((pod) => pod !== undefined);
  return maxSurge > 0 ? both : both.sort(byAge).slice(0, 1);
}

function updatePlan({ spec }: DaemonSet, places: readonly OnNode[], isAvailable: (pod: Pod) => boolean): UpdatePlan {
  const { type = 'RollingUpdate', rollingUpdate } = spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return { maxSurge: 0, surgeOn: new Set(), remove: [] };
  const wanted = places.filter(({ isWanted }) => isWanted);
  const outdated = wanted.filter(({ old, current }) => old && !current);
  const maxSurge = scaledValue(rollingUpdate?.maxSurge ?? 0, wanted.length, Math.ceil);
  const [useful, useless] = [true, false].map((value) => outdated.filter(({ old }) => old && isAvailable(old) === value)) as [
    OnNode[],
    OnNode[],
  ];
  if (maxSurge === 0) {
    const limit = Math.max(1, scaledValue(rollingUpdate?.maxUnavailable ?? 1, wanted.length, Math.ceil));
    const available = wanted.filter(({ old, current }) => [old, current].some((pod) => pod && isAvailable(pod))).length;
    const removable = [...useless, ...useful.slice(0, Math.max(0, limit - (wanted.length - available)))];
    return { maxSurge, surgeOn: new Set(), remove: removable.flatMap(({ old }) => old ?? []) };
  }
  const surged = wanted.filter(({ old, current }) => old && current);
  const waiting = surged.filter(({ current }) => current && !isAvailable(current));
  const next = [...useless, ...useful.slice(0, Math.max(0, maxSurge - waiting.length))];
  return {
    maxSurge,
    surgeOn: new Set(next.map(({ name }) => name)),
    remove: surged.filter((place) => !waiting.includes(place)).flatMap(({ old }) => old ?? []),
  };
}

function statusOf(
  { metadata }: DaemonSet,
  places: readonly OnNode[],
  isAvailable: (pod: Pod) => boolean,
  collisionCount = 0,
): NonNullable<DaemonSet['status']> {
  const wanted = places.filter(({ isWanted }) => isWanted);
  const first = ({ current, old }: OnNode) => keptPods(current, old, { maxSurge: 0, surgeOn: new Set(), remove: [] })[0];
  const serving = wanted.flatMap((place) => first(place) ?? []);
  const available = serving.filter(isAvailable).length;
  return {
    currentNumberScheduled: serving.length,
    desiredNumberScheduled: wanted.length,
    numberMisscheduled: places.filter((place) => !place.isWanted && first(place)).length,
    numberReady: serving.filter(isPodReady).length,
    updatedNumberScheduled: wanted.filter((place) => place.current && first(place) === place.current).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
    ...(collisionCount > 0 && { collisionCount }),
    observedGeneration: metadata.generation ?? 0,
  };
}

/** The event about a terminated pod that is replaced. */
function terminatedEvent({ metadata, spec, status }: Pod): EventText[] {
  const which = `daemon pod ${metadata?.namespace}/${metadata?.name} on node ${spec?.nodeName}`;
  if (status?.phase === 'Failed')
    return [{ type: 'Warning', reason: 'FailedDaemonPod', message: `Found failed ${which}, will try to kill it` }];
  return status?.phase === 'Succeeded'
    ? [{ type: 'Normal', reason: 'SucceededDaemonPod', message: `Found succeeded ${which}, will try to delete it` }]
    : [];
}

/** Whether pods may stay on the node although the template would not start there. */
const toleratesNode = (node: Node, template: PodTemplate): boolean => shouldRun(node, template, ['NoExecute']);

function shouldRun(node: Node, template: PodTemplate, effects: readonly string[]): boolean {
  if (!matchesNodeAffinity({ spec: template.spec }, node)) return false;
  return findUntoleratedTaint(nodeTaints(node), template.spec.tolerations, ({ effect }) => effects.includes(effect)) === undefined;
}

/** The annotation of a DaemonSet, and the label of its pods, with the number of changes of the template. */
const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';

/** The template with the tolerations of a DaemonSet, and the labels of its revision. */
function daemonTemplate(daemonSet: DaemonSet, hash?: string): PodTemplate {
  const { metadata, spec } = daemonSet.spec.template;
  const generation = daemonSet.metadata.annotations?.[generationAnnotation];
  const own = spec.hostNetwork ? [...daemonTolerations, tolerate('network-unavailable', 'NoSchedule')] : daemonTolerations;
  return {
    metadata: {
      ...metadata,
      labels: {
        ...metadata?.labels,
        [revisionLabel]: hash ?? templateHash({ ...(metadata && { metadata }), spec }),
        ...(generation && { [generationLabel]: generation }),
      },
    },
    spec: { ...spec, tolerations: [...(spec.tolerations ?? []), ...own] },
  };
}

/** The template for one node. Its affinity replaces the node affinity, which was checked before. */
function onNode({ metadata, spec }: PodTemplate, name: string): PodTemplate {
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }];
  const nodeAffinity = { ...spec.affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return { ...(metadata && { metadata }), spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity } } };
}

/** The node that a pod runs on or has an affinity to. */
function targetNode({ spec }: Pod): string | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return spec?.nodeName || terms[0]?.matchFields?.[0]?.values?.[0];
}
