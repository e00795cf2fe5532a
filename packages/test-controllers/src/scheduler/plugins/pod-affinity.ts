import type { AffinityTerm, Labels } from '../framework/affinity-terms.js';
import { type NodeInfo, remember } from '../framework/node-info.js';
import type { SchedulerPlugin } from '../framework/plugin.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { Snapshot } from '../framework/snapshot.js';
import { namespaceLabelsOf, selects, withNamespaces } from './affinity-selection.js';
import { type AffinityScores, normalizeAffinityScores, preferredAffinity, scoreByAffinity } from './pod-affinity-scores.js';
import { resolvable, unresolvable } from './rejections.js';

/** How many pods are in each place, by `key=value` of a topology. */
type Places = Map<string, number>;

interface AffinityState {
  pod: PodInfo;
  near: readonly AffinityTerm[];
  apart: readonly AffinityTerm[];
  /** Labels of the pod's namespace. */
  namespaceLabels: Labels;
  /** Pods that match all terms of affinity; those that match a term of anti-affinity; those whose anti-affinity matches the pod. */
  attracting: Places;
  unwanted: Places;
  repelling: Places;
}

const notNear = unresolvable("node(s) didn't match pod affinity rules");
const notApart = resolvable("node(s) didn't match pod anti-affinity rules");
const repelled = resolvable("node(s) didn't satisfy existing pods anti-affinity rules");

/** Required affinity between pods, in both directions of anti-affinity; preferred terms give scores. */
export const interPodAffinity: SchedulerPlugin<AffinityState, AffinityScores> = {
  name: 'InterPodAffinity',
  weight: 2,
  storages: ['/namespaces'],
  preFilter(pod, snapshot) {
    const state = affinityState(pod, snapshot);
    return state.repelling.size + state.near.length + state.apart.length > 0 ? { state } : {};
  },
  filter(state, { labels }) {
    if (!isAttracted(state, labels)) return notNear;
    if (state.apart.some(({ topologyKey }) => countAt(state.unwanted, topologyKey, labels) > 0)) return notApart;
    for (const place of state.repelling.keys()) {
      const at = place.indexOf('=');
      if (labels[place.slice(0, at)] === place.slice(at + 1)) return repelled;
    }
    return undefined;
  },
  addPod(state, other, node, count) {
    const { pod, near, apart, namespaceLabels } = state;
    if (matchesAll(near, other)) addTerms(state.attracting, near, node, count);
    addTerms(
      state.unwanted,
      apart.filter((term) => selects(term, other)),
      node,
      count,
    );
    addTerms(
      state.repelling,
      other.apart.required.filter((term) => selects(term, pod, namespaceLabels)),
      node,
      count,
    );
  },
  preScore: preferredAffinity,
  score: scoreByAffinity,
  normalizeScore: normalizeAffinityScores,
  helpedBy: ['nodeAdded', 'nodeChanged', 'podAdded', 'podChanged', 'podRemoved', 'objectChanged'],
};

function affinityState(pod: PodInfo, { nodes, objects }: Snapshot): AffinityState {
  const namespaceLabels = namespaceLabelsOf(pod, objects);
  const [near, apart] = [pod.near.required, pod.apart.required].map((terms) => withNamespaces(terms, objects)) as [
    AffinityTerm[],
    AffinityTerm[],
  ];
  const state = { pod, near, apart, namespaceLabels, attracting: new Map(), unwanted: new Map(), repelling: new Map() };
  const own = JSON.stringify([pod.namespace, pod.labels, namespaceLabels]);
  const wanted = JSON.stringify([pod.namespace, near.map(({ text }) => text), apart.map(({ text }) => text), pod.labels]);
  for (const node of nodes) {
    if (node.withTerms.size > 0)
      addPlaces(
        state.repelling,
        node,
        remember(node, `repelling ${own}`, () => repellingTerms(node, state)),
      );
    if (near.length + apart.length === 0 || node.pods.size === 0) continue;
    const { attracting, unwanted } = remember(node, `wanted ${wanted}`, () => selectedPods(node, near, apart));
    addPlaces(state.attracting, node, attracting);
    addPlaces(state.unwanted, node, unwanted);
  }
  return state;
}

/** Counts by topology key. */
type Counts = Map<string, number>;

function repellingTerms({ withTerms }: NodeInfo, { pod, namespaceLabels }: AffinityState): Counts {
  const counts: Counts = new Map();
  for (const { apart } of withTerms)
    for (const term of apart.required) if (selects(term, pod, namespaceLabels)) raise(counts, term.topologyKey, 1);
  return counts;
}

function selectedPods({ pods }: NodeInfo, near: readonly AffinityTerm[], apart: readonly AffinityTerm[]) {
  const [attracting, unwanted]: [Counts, Counts] = [new Map(), new Map()];
  for (const other of pods.values()) {
    if (matchesAll(near, other)) for (const { topologyKey } of near) raise(attracting, topologyKey, 1);
    for (const term of apart) if (selects(term, other)) raise(unwanted, term.topologyKey, 1);
  }
  return { attracting, unwanted };
}

const matchesAll = (terms: readonly AffinityTerm[], pod: PodInfo) => terms.length > 0 && terms.every((term) => selects(term, pod));

function addPlaces(places: Places, { labels }: NodeInfo, counts: Counts): void {
  for (const [key, count] of counts) if (labels[key] !== undefined) raise(places, `${key}=${labels[key]}`, count);
}

function addTerms(places: Places, terms: readonly AffinityTerm[], node: NodeInfo, count: number): void {
  for (const { topologyKey } of terms) addPlaces(places, node, new Map([[topologyKey, count]]));
}

function raise(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

const countAt = (places: Places, key: string, labels: Labels) =>
  labels[key] === undefined ? 0 : (places.get(`${key}=${labels[key]}`) ?? 0);

/** The first of several pods with affinity to each other fits every node that has the topology. */
function isAttracted({ pod, near, attracting }: AffinityState, labels: Labels): boolean {
  if (near.some(({ topologyKey }) => labels[topologyKey] === undefined)) return false;
  if (near.every(({ topologyKey }) => countAt(attracting, topologyKey, labels) > 0)) return true;
  return attracting.size === 0 && matchesAll(near, pod);
}
