import type { LabelSelector, TopologySpreadConstraint } from '@nodeagent/api';
import { findUntoleratedTaint } from '@nodeagent/api/helpers';
import { controllerOf } from '../../workloads/ownership.js';
import { type LabelMatcher, type Labels, labelMatcher, matcherWithKeys } from '../framework/affinity-terms.js';
import { type NodeInfo, remember } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { ObjectReader } from '../framework/snapshot.js';
import { keepsAway, matchesRequiredAffinity } from './node-rules.js';

export const hostnameLabel = 'kubernetes.io/hostname';

/** A topology spread constraint of a pod, read once. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** With fewer domains the smallest count is 0. */
  readonly minDomains: number;
  readonly matches: LabelMatcher;
  /** An empty selector counts no pods. */
  readonly countsNothing: boolean;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
  /** Recognizes equal selectors. */
  readonly text: string;
}

/** The pod's constraints that are required (`DoNotSchedule`) or preferred (`ScheduleAnyway`). */
export function constraintsOf({ pod, labels, namespace }: PodInfo, when: string): SpreadConstraint[] {
  const constraints = pod.spec?.topologySpreadConstraints?.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when) ?? [];
  return constraints.map((constraint) => {
    const { labelSelector, matchLabelKeys = [] } = constraint;
    const own = Object.fromEntries(matchLabelKeys.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
    return readConstraint(constraint, {
      matches: matcherWithKeys(labelSelector, labels, matchLabelKeys),
      countsNothing: labelSelector !== undefined && isEmpty(labelSelector) && Object.keys(own).length === 0,
      text: JSON.stringify([namespace, labelSelector, own]),
    });
  });
}

function readConstraint(
  { topologyKey, maxSkew, minDomains = 1, nodeAffinityPolicy, nodeTaintsPolicy }: Omit<TopologySpreadConstraint, 'whenUnsatisfiable'>,
  selector: Pick<SpreadConstraint, 'matches' | 'countsNothing' | 'text'>,
): SpreadConstraint {
  const policies = { honorsAffinity: nodeAffinityPolicy !== 'Ignore', honorsTaints: (nodeTaintsPolicy ?? 'Ignore') !== 'Ignore' };
  return { topologyKey, maxSkew, minDomains, ...policies, ...selector };
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) =>
  Object.keys(matchLabels).length + matchExpressions.length === 0;

/** What pods without constraints prefer: few pods of the same controller and Services per node and zone. */
const defaultConstraints = [
  { topologyKey: hostnameLabel, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
];

const owners: Readonly<Record<string, string>> = {
  'v1 ReplicationController': '/replicationcontrollers',
  'apps/v1 ReplicaSet': 'apps/replicasets',
  'apps/v1 StatefulSet': 'apps/statefulsets',
};

/** The default constraints of a pod that Services or its controller select. */
export function defaultConstraintsOf({ pod, labels, namespace }: PodInfo, objects: ObjectReader): SpreadConstraint[] {
  const wanted: Record<string, string> = {};
  for (const { spec } of objects.list('/services', namespace)) {
    const { selector } = (spec ?? {}) as { selector?: Record<string, string> };
    if (selector && labelMatcher({ matchLabels: selector })(labels)) Object.assign(wanted, selector);
  }
  const { apiVersion = '', kind = '', name = '' } = controllerOf(pod) ?? {};
  const storage = owners[`${apiVersion} ${kind}`];
  const owner = storage && (objects.get(storage, namespace, name)?.spec as { selector?: LabelSelector } | undefined)?.selector;
  // A ReplicationController selects by a plain map.
  const selector: LabelSelector | undefined =
    owner && kind === 'ReplicationController' ? { matchLabels: owner as Labels } : owner || undefined;
  if (Object.keys(wanted).length === 0 && (!selector || isEmpty(selector))) return [];
  const [byService, byOwner] = [labelMatcher({ matchLabels: wanted }), selector && labelMatcher(selector)];
  const matches: LabelMatcher = (other) => byService(other) && (byOwner?.(other) ?? true);
  const text = JSON.stringify([namespace, wanted, selector]);
  return defaultConstraints.map((constraint) => readConstraint(constraint, { matches, countsNothing: false, text }));
}

/** The pods of the pod's namespace on a node that a constraint selects; terminating ones do not count. */
export function countSelected(node: NodeInfo, { namespace }: PodInfo, { matches, countsNothing, text }: SpreadConstraint): number {
  if (countsNothing || node.pods.size === 0) return 0;
  return remember(node, `spread ${text}`, () => {
    let count = 0;
    for (const other of node.pods.values()) {
      if (!other.isTerminating && other.namespace === namespace && matches(other.labels)) count++;
    }
    return count;
  });
}

/** Whether a node counts for the constraint: by default if the pod's node affinity matches it, regardless of taints. */
export function countsNode({ pod, tolerations }: PodInfo, { node, taints }: NodeInfo, constraint: SpreadConstraint): boolean {
  if (constraint.honorsAffinity && !matchesRequiredAffinity(pod, node)) return false;
  return !constraint.honorsTaints || !findUntoleratedTaint(taints, tolerations, keepsAway);
}

export const hasAllKeys = ({ labels }: NodeInfo, constraints: readonly SpreadConstraint[]): boolean =>
  constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);
