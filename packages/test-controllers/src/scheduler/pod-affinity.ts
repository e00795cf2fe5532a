import type { Pod, PodAffinityTerm } from '@nodeagent/api';
import { matchesLabelSelector } from '@nodeagent/api/helpers';
import type { Misfit } from './misfit.js';
import type { ClusterRoom, NodeRoom, PodNeeds } from './node-room.js';

/** Whether a term of the pod matches the other pod. Default namespace: that of the pod. */
function selects({ labelSelector, namespaces, namespaceSelector }: PodAffinityTerm, pod: Pod, other: Pod): boolean {
  const { namespace = '', labels } = other.metadata ?? {};
  const isAnywhere = namespaceSelector !== undefined && Object.keys(namespaceSelector).length === 0;
  const wanted = namespaces?.length ? namespaces : [pod.metadata?.namespace ?? ''];
  return (isAnywhere || wanted.includes(namespace)) && matchesLabelSelector(labelSelector, labels);
}

/** The node's value of the term's topology key. */
const placeOf = ({ topologyKey }: PodAffinityTerm, { node }: NodeRoom): string | undefined => node.metadata?.labels?.[topologyKey];

/**
 * Whether required pod affinity, or anti-affinity in either direction, rejects the pod on the node. The first pod with affinity to
 * pods like itself fits everywhere. Kubernetes documentation, "Inter-pod affinity and anti-affinity".
 */
export function affinityProblem({ pod, near, apart }: PodNeeds, room: NodeRoom, { rooms, repelling }: ClusterRoom): Misfit | undefined {
  const hasSelected = (term: PodAffinityTerm, among: readonly NodeRoom[]) =>
    among.some(({ pods }) => pods.some((other) => selects(term, pod, other)));
  const inSamePlace = (term: PodAffinityTerm) => rooms.filter((other) => placeOf(term, other) === placeOf(term, room));

  const isAttracted = near.every((term) => {
    if (placeOf(term, room) === undefined) return false;
    return hasSelected(term, inSamePlace(term)) || (selects(term, pod, pod) && !hasSelected(term, rooms));
  });
  if (!isAttracted) return { reasons: ["node(s) didn't match pod affinity rules"], helpedByPreemption: false };

  if (apart.some((term) => placeOf(term, room) !== undefined && hasSelected(term, inSamePlace(term)))) {
    return { reasons: ["node(s) didn't match pod anti-affinity rules"], helpedByPreemption: true };
  }
  const isRepelled = repelling.some(({ needs, room: its }) =>
    needs.apart.some((term) => {
      const place = placeOf(term, its);
      return place !== undefined && place === placeOf(term, room) && selects(term, needs.pod, pod);
    }),
  );
  return isRepelled ? { reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"], helpedByPreemption: true } : undefined;
}
