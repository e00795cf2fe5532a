import type { AffinityTerm, Labels } from '../framework/affinity-terms.js';
import { type NodeInfo, remember } from '../framework/node-info.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { Snapshot } from '../framework/snapshot.js';
import { namespaceLabelsOf, selects, withNamespaces } from './affinity-selection.js';

/** Weights of places, by topology key and value. */
export type AffinityScores = Map<string, Map<string, number>>;

/** The weights of the preferred terms of the pod, and of the preferred and required ones of other pods that select it. */
export function preferredAffinity(pod: PodInfo, { nodes, objects }: Snapshot): AffinityScores | undefined {
  const near = withNamespaces(pod.near.preferred, objects);
  const apart = withNamespaces(pod.apart.preferred, objects);
  const namespaceLabels = namespaceLabelsOf(pod, objects);
  const hasPreference = near.length + apart.length > 0;
  // Only other pods with terms matter to a pod without preferences.
  const concerned = nodes.filter((node) => (hasPreference ? node.pods : node.withTerms).size > 0);
  if (concerned.length === 0) return undefined;
  const key = `preferred ${JSON.stringify([near, apart, pod.namespace, pod.labels, namespaceLabels])}`;
  const scores: AffinityScores = new Map();
  for (const node of concerned) {
    addWeights(
      scores,
      node,
      remember(node, key, () => weightsOn(hasPreference ? node.pods.values() : node.withTerms, { pod, near, apart, namespaceLabels })),
    );
  }
  return scores.size > 0 ? scores : undefined;
}

interface Preference {
  pod: PodInfo;
  near: readonly AffinityTerm[];
  apart: readonly AffinityTerm[];
  namespaceLabels: Labels;
}

/** The weights by topology key that the pods of a node give to its places. */
function weightsOn(others: Iterable<PodInfo>, { pod, near, apart, namespaceLabels }: Preference): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (terms: readonly AffinityTerm[], sign: 1 | -1, isSelected: (term: AffinityTerm) => boolean) => {
    for (const term of terms) {
      if (isSelected(term)) weights.set(term.topologyKey, (weights.get(term.topologyKey) ?? 0) + sign * term.weight);
    }
  };
  const selectsPod = (term: AffinityTerm) => selects(term, pod, namespaceLabels);
  for (const other of others) {
    add(near, 1, (term) => selects(term, other));
    add(apart, -1, (term) => selects(term, other));
    add(other.near.required, 1, selectsPod);
    add(other.near.preferred, 1, selectsPod);
    add(other.apart.preferred, -1, selectsPod);
  }
  return weights;
}

function addWeights(scores: AffinityScores, { labels }: NodeInfo, weights: ReadonlyMap<string, number>): void {
  for (const [topologyKey, weight] of weights) {
    const value = labels[topologyKey];
    if (value === undefined) continue;
    const places = scores.get(topologyKey) ?? new Map<string, number>();
    places.set(value, (places.get(value) ?? 0) + weight);
    scores.set(topologyKey, places);
  }
}

export function scoreByAffinity(scores: AffinityScores, { labels }: NodeInfo): number {
  let sum = 0;
  for (const [key, places] of scores) sum += places.get(labels[key] ?? '') ?? 0;
  return sum;
}

/** The lowest score becomes 0, the highest 100. */
export function normalizeAffinityScores(scores: readonly number[]): number[] {
  const lowest = Math.min(...scores);
  const range = Math.max(...scores) - lowest;
  return scores.map((score) => (range > 0 ? Math.trunc(100 * ((score - lowest) / range)) : 0));
}
