import type { TopologyHint, TopologyHints } from '@nodeagent/api';
import { mergeHints } from '@nodeagent/topology-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

interface RecordedHint {
  numa: number[] | null;
  preferred: boolean;
}

const hintOf = ({ numa, preferred }: RecordedHint): TopologyHint => ({ numaNodes: numa, preferred });

const hintsOf = (provider: Record<string, RecordedHint[] | null> | null): TopologyHints =>
  Object.fromEntries(Object.entries(provider ?? {}).map(([resource, hints]) => [resource, hints?.map(hintOf) ?? null]));

export const topologyManagerAdapters: Adapter[] = [
  defineAdapter('topology-merge', (input) => {
    const { hint, admit } = mergeHints({
      policy: input.policy,
      numaNodes: Array.from({ length: input.numaNodes }, (_, id) => ({ id, distances: input.distances[id] })),
      providers: input.providers.map((hints: null, index: number) => ({ provider: String(index), hints: hintsOf(hints) })),
      preferClosestNumaNodes: input.preferClosestNUMA,
    });
    return { numa: hint.numaNodes, preferred: hint.preferred, admit };
  }),
];
