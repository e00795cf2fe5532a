import type { Node, Taint } from '@nodeagent/api';
import { nodeTaints } from '../node-taints.js';
import { hasTerms, type Labels } from './affinity-terms.js';
import type { PodInfo } from './pod-info.js';
import { type Amounts, addAmounts, amountsOf } from './resources.js';

/** A node with what its pods use. */
export interface NodeInfo {
  readonly node: Node;
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Amounts;
  /** By their keys, in the order in which they came. */
  readonly pods: Map<string, PodInfo>;
  /** Pods with host ports, and with affinity or anti-affinity to other pods. */
  readonly withPorts: Set<PodInfo>;
  readonly withTerms: Set<PodInfo>;
  readonly requested: Amounts;
  readonly scored: Amounts;
  /** Changes with its pods; for {@link remember}. */
  generation: number;
  readonly remembered: Map<string, { generation: number; value: unknown }>;
}

/** A node without pods. */
export function nodeInfoOf(node: Node): NodeInfo {
  return {
    node,
    name: node.metadata?.name ?? '',
    labels: node.metadata?.labels ?? {},
    taints: nodeTaints(node),
    allocatable: amountsOf(node.status?.allocatable),
    pods: new Map(),
    withPorts: new Set(),
    withTerms: new Set(),
    requested: new Map(),
    scored: new Map(),
    generation: 0,
    remembered: new Map(),
  };
}

/** Adds a pod, or removes it with a count of -1. */
export function addPodTo(node: NodeInfo, pod: PodInfo, count: 1 | -1): void {
  node.generation++;
  addAmounts(node.requested, pod.requests, count);
  addAmounts(node.scored, pod.scored, count);
  if (count === 1) node.pods.set(pod.key, pod);
  else node.pods.delete(pod.key);
  for (const [set, isMember] of [
    [node.withPorts, pod.hostPorts.length > 0],
    [node.withTerms, hasTerms(pod.near) || hasTerms(pod.apart)],
  ] as const) {
    if (!isMember) continue;
    if (count === 1) set.add(pod);
    else set.delete(pod);
  }
}

const maxRemembered = 1_000;

/** What was computed of the node's pods under this key, until they change: most cycles change one node only. */
export function remember<T>(node: NodeInfo, key: string, compute: () => T): T {
  const known = node.remembered.get(key);
  if (known?.generation === node.generation) return known.value as T;
  if (node.remembered.size >= maxRemembered) node.remembered.clear();
  const value = compute();
  node.remembered.set(key, { generation: node.generation, value });
  return value;
}
