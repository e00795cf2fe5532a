import type { Node, Pod, Toleration } from '@nodeagent/api';
import { findUntoleratedTaint, fnv1a32, isPodAvailable, isPodReady, matchesNodeAffinity } from '@nodeagent/api/helpers';
import { nodeTaints } from '../scheduler/node-taints.js';
import type { DaemonSet, PodTemplate, Reconciliation, Write } from './objects.js';
import { controlledBy, earliest, podFromTemplate, scaledValue, statusWrites } from './ownership.js';
import { availableAt, isActive } from './pod-states.js';

const hashLabel = 'controller-revision-hash';

const tolerate = (name: string, effect: string): Toleration => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect });

/** Tolerations of every pod of a DaemonSet. Kubernetes documentation, "DaemonSet: Taints and tolerations". */
const daemonTolerations: readonly Toleration[] = [
  tolerate('not-ready', 'NoExecute'),
  tolerate('unreachable', 'NoExecute'),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => tolerate(name, 'NoSchedule')),
];

/**
 * Reconciles a DaemonSet: one pod on each node that fits its template, none elsewhere; replaces pods of an older template a few at a time.
 * The pods are bound to their nodes by affinity, and need a scheduler. `pods` may be all of the namespace. Kubernetes documentation,
 * "DaemonSet".
 */
export function reconcileDaemonSet(input: {
  daemonSet: DaemonSet;
  nodes: readonly Node[];
  pods: readonly Pod[];
  now: number;
}): Reconciliation {
  const { daemonSet, nodes, now } = input;
  const { minReadySeconds = 0 } = daemonSet.spec;
  const template = daemonTemplate(daemonSet.spec.template);
  const hash = template.metadata?.labels?.[hashLabel];
  const pods = controlledBy(input.pods, daemonSet).filter(({ metadata }) => !metadata?.deletionTimestamp);
  const podsOn = new Map(nodes.map(({ metadata }) => [metadata?.name ?? '', pods.filter((pod) => targetNode(pod) === metadata?.name)]));
  const wanted = nodes.filter((node) => shouldRun(node, template, ['NoSchedule', 'NoExecute']));

  const active = (node: Node) => (podsOn.get(node.metadata?.name ?? '') ?? []).filter(isActive);
  const serving = wanted.flatMap((node) => active(node).slice(0, 1));
  const ready = serving.filter(isPodReady);
  const available = serving.filter((pod) => isPodAvailable(pod, minReadySeconds, now));
  const isUpdated = (pod: Pod) => pod.metadata?.labels?.[hashLabel] === hash;

  const create: Write[] = wanted
    .filter((node) => (podsOn.get(node.metadata?.name ?? '') ?? []).length === 0)
    .map((node) => ({ verb: 'create', object: podFromTemplate(daemonSet, onNode(template, node.metadata?.name ?? '')) }));
  const unwanted = pods.filter((pod) => {
    const node = nodes.find(({ metadata }) => metadata?.name === targetNode(pod));
    return !isActive(pod) || !node || !shouldRun(node, template, ['NoExecute']) || active(node)[0] !== pod;
  });
  const outdated = serving.filter((pod) => !isUpdated(pod) && !unwanted.includes(pod));
  const remove = [...unwanted, ...replaceable(daemonSet, outdated, available, wanted.length)];

  const status = {
    currentNumberScheduled: serving.length,
    desiredNumberScheduled: wanted.length,
    numberMisscheduled: nodes.filter((node) => !wanted.includes(node) && active(node).length > 0).length,
    numberReady: ready.length,
    updatedNumberScheduled: serving.filter(isUpdated).length,
    numberAvailable: available.length,
    numberUnavailable: wanted.length - available.length,
    observedGeneration: daemonSet.metadata.generation ?? 0,
  };
  return {
    writes: [
      ...(daemonSet.metadata.deletionTimestamp ? [] : [...create, ...remove.map((object): Write => ({ verb: 'delete', object }))]),
      ...statusWrites(daemonSet, status),
    ],
    ...earliest(serving.map((pod) => availableAt(pod, minReadySeconds, now))),
  };
}

/** Pods of an older template to delete now: unavailable ones, and as many others as `maxUnavailable` allows. */
function replaceable({ spec }: DaemonSet, outdated: readonly Pod[], available: readonly Pod[], wanted: number): Pod[] {
  const { type = 'RollingUpdate', rollingUpdate } = spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return [];
  const limit = Math.max(1, scaledValue(rollingUpdate?.maxUnavailable ?? 1, wanted, Math.ceil));
  const [useful, useless] = [outdated.filter((pod) => available.includes(pod)), outdated.filter((pod) => !available.includes(pod))];
  return [...useless, ...useful.slice(0, Math.max(0, limit - (wanted - available.length)))];
}

function shouldRun(node: Node, template: PodTemplate, effects: readonly string[]): boolean {
  if (!matchesNodeAffinity({ spec: template.spec }, node)) return false;
  return findUntoleratedTaint(nodeTaints(node), template.spec.tolerations, ({ effect }) => effects.includes(effect)) === undefined;
}

/** The template with the tolerations of a DaemonSet, and a label with the template's hash. */
function daemonTemplate({ metadata, spec }: PodTemplate): PodTemplate {
  const hash = fnv1a32(JSON.stringify({ labels: metadata?.labels, spec })).toString(16);
  return {
    metadata: { ...metadata, labels: { ...metadata?.labels, [hashLabel]: hash } },
    spec: { ...spec, tolerations: [...(spec.tolerations ?? []), ...daemonTolerations] },
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
