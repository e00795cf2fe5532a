import type { Node, NodeSelectorTerm, Pod, Taint, Toleration } from '@nodeagent/api';
import { equalJson, findUntoleratedTaint, matchesNodeAffinity, matchesNodeSelector, toleratesAny } from '@nodeagent/api/helpers';
import { portsClash } from '../framework/host-ports.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { ClusterChange, SchedulerPlugin } from '../framework/plugin.js';
import type { PodInfo } from '../framework/pod-info.js';
import { resolvable, unresolvable } from './rejections.js';
import { scaleToLargest } from './scale-scores.js';

const otherName = unresolvable("node(s) didn't match the requested node name");
const unschedulable = unresolvable('node(s) were unschedulable');
const tainted = unresolvable('node(s) had untolerated taint(s)');
const notSelected = unresolvable("node(s) didn't match Pod's node affinity/selector");
const portsTaken = resolvable("node(s) didn't have free ports for the requested pod ports");

const nodeChanges = ['nodeAdded', 'nodeChanged'] as const;

/** Whether a node is new and passes a rule, or passes it only since it changed. */
function newlyPasses({ object, previous }: ClusterChange, passes: (node: Node) => boolean): boolean {
  return object !== undefined && passes(object as Node) && !(previous && passes(previous as Node));
}

const unschedulableTaint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Taints that keep pods away, in contrast to PreferNoSchedule. */
export const keepsAway = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';

export const nodeUnschedulable: SchedulerPlugin<PodInfo> = {
  name: 'NodeUnschedulable',
  preFilter: (pod) => (toleratesAny(pod.tolerations, unschedulableTaint) ? {} : { state: pod }),
  filter: (_, { node }) => (node.spec?.unschedulable ? unschedulable : undefined),
  helpedBy: nodeChanges,
  isHelpedBy: (_, change) => newlyPasses(change, ({ spec }) => !spec?.unschedulable),
};

export const nodeName: SchedulerPlugin<string> = {
  name: 'NodeName',
  preFilter: ({ pod }) => (pod.spec?.nodeName ? { state: pod.spec.nodeName } : {}),
  filter: (wanted, { name }) => (name === wanted ? undefined : otherName),
  helpedBy: ['nodeAdded'],
};

/** Nodes without untolerated taints; of these, those with the fewest untolerated taints PreferNoSchedule. */
export const taintToleration: SchedulerPlugin<PodInfo, readonly Toleration[]> = {
  name: 'TaintToleration',
  weight: 3,
  preFilter: (pod) => ({ state: pod }),
  filter: ({ tolerations }, { taints }) => (findUntoleratedTaint(taints, tolerations, keepsAway) ? tainted : undefined),
  preScore: ({ tolerations }) => tolerations.filter(({ effect }) => !effect || effect === 'PreferNoSchedule'),
  score: (tolerations, { taints }) => taints.filter((taint) => isUnwanted(taint, tolerations)).length,
  normalizeScore: (scores) => scaleToLargest(scores).map((score) => 100 - score),
  helpedBy: nodeChanges,
  isHelpedBy: ({ spec: pod }, change) =>
    newlyPasses(change, ({ spec }) => !findUntoleratedTaint(spec?.taints ?? [], pod?.tolerations ?? [], keepsAway)),
};

const isUnwanted = (taint: Taint, tolerations: readonly Toleration[]) =>
  taint.effect === 'PreferNoSchedule' && !toleratesAny(tolerations, taint);

/** kube-scheduler retries the pods of each rule that new nodes may help, besides those of taints, also when the taints of a node change. */
const changesTaints = ({ object, previous }: ClusterChange) =>
  previous !== undefined && !equalJson((object as Node | undefined)?.spec?.taints ?? [], (previous as Node).spec?.taints ?? []);

/** Required node affinity and node selector; preferred terms add their weights. */
export const nodeAffinity: SchedulerPlugin<Pod, readonly { weight: number; preference: NodeSelectorTerm }[]> = {
  name: 'NodeAffinity',
  weight: 2,
  preFilter({ pod }) {
    const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (!required && !pod.spec?.nodeSelector) return {};
    const names = namedNodes(required?.nodeSelectorTerms ?? []);
    if (names?.size === 0) return { misfit: unresolvable('pod affinity terms conflict') };
    return { state: pod, ...(names && { nodeNames: names }) };
  },
  filter: (pod, { node }) => (matchesRequiredAffinity(pod, node) ? undefined : notSelected),
  preScore: ({ pod }) => pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution,
  score: (terms, { node }) => terms.reduce((sum, { weight, preference }) => sum + (prefers(preference, node) ? weight : 0), 0),
  normalizeScore: scaleToLargest,
  helpedBy: nodeChanges,
  isHelpedBy: (pod, change) => changesTaints(change) || newlyPasses(change, (node) => matchesRequiredAffinity(pod, node)),
};

/** The nodes that all terms require by their names; undefined if a term allows others. */
function namedNodes(terms: readonly NodeSelectorTerm[]): Set<string> | undefined {
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const named = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    if (named.length === 0) return undefined;
    const [first, ...others] = named.map(({ values = [] }) => values);
    for (const name of first ?? []) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}

/** Invalid terms match no node. */
export function matchesRequiredAffinity(pod: Pod, node: NodeInfo['node']): boolean {
  try {
    return matchesNodeAffinity(pod, node);
  } catch {
    return false;
  }
}

function prefers(preference: NodeSelectorTerm, node: NodeInfo['node']): boolean {
  try {
    return matchesNodeSelector({ nodeSelectorTerms: [preference] }, node);
  } catch {
    return false;
  }
}

export const nodePorts: SchedulerPlugin<PodInfo> = {
  name: 'NodePorts',
  preFilter: (pod) => (pod.hostPorts.length > 0 ? { state: pod } : {}),
  filter({ hostPorts }, { withPorts }) {
    for (const other of withPorts) {
      if (other.hostPorts.some((taken) => hostPorts.some((port) => portsClash(port, taken)))) return portsTaken;
    }
    return undefined;
  },
  helpedBy: ['nodeAdded', 'podRemoved'],
};
