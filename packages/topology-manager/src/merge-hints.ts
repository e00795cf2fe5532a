import type { NumaNodeInfo, TopologyHint, TopologyHints } from '@nodeagent/api';
import { type Combination, combineHints, hintsOf, type MaskedHint, relation } from './combinations.js';
import { type CombinationOrder, compareCombinations, isPreferred } from './compare-combinations.js';
import { countNodes, createNumaNodes, type NumaNodes } from './numa-mask.js';
import { policyRules, type TopologyManagerPolicy } from './policy.js';

/** The hints of one provider. */
export interface ProviderHints {
  /** Name of the provider, for explanations. */
  provider: string;
  hints: TopologyHints;
}

/** Input of {@link mergeHints}. */
export interface MergeHintsInput {
  policy: TopologyManagerPolicy;
  /** The NUMA nodes of the machine, ascending; at most 31. */
  numaNodes: readonly Pick<NumaNodeInfo, 'id' | 'distances'>[];
  /** The hints of all providers, in any order. */
  providers: readonly ProviderHints[];
  /** The policy option `prefer-closest-numa-nodes`; the policy `single-numa-node` ignores it. Default false. */
  preferClosestNumaNodes?: boolean;
}

/** A hint in a combination of one hint of each resource. */
export interface ChosenHint {
  provider: string;
  /** null: the provider has no preference for any resource. */
  resource: string | null;
  hint: TopologyHint;
}

/** The result of {@link mergeHints}. */
export interface MergedHints {
  /** The NUMA nodes from which the resources are assigned. */
  hint: TopologyHint;
  /** Whether the policy admits the pod with this hint. */
  admit: boolean;
  /** The combination of hints with this result, one of each resource. Empty if no combination leaves a NUMA node, and with the policy `none`. */
  chosen: ChosenHint[];
  /** Resources without a hint that the policy accepts. */
  unsatisfiable: Omit<ChosenHint, 'hint'>[];
}

/** One resource of a provider with its hints. */
interface Candidates extends Omit<ChosenHint, 'hint'> {
  hints: readonly TopologyHint[];
  isUnsatisfiable: boolean;
}

const noPreference: TopologyHint = { numaNodes: null, preferred: true };
const impossible: TopologyHint = { numaNodes: null, preferred: false };

/**
 * Merges the hints of all resources into one, as the policy demands: KEP-693, Topology Manager, "Policies". A pure function. Its time grows
 * with the number of hints, not with the number of their combinations.
 */
export function mergeHints({ policy, numaNodes, providers, preferClosestNumaNodes = false }: MergeHintsInput): MergedHints {
  const { usesHints, singleNumaNode, admitsUnaligned } = policyRules[policy];
  if (!usesHints) return { hint: impossible, admit: true, chosen: [], unsatisfiable: [] };
  const nodes = createNumaNodes(numaNodes);
  const candidates = providers.flatMap(candidatesOf);
  const lists = candidates.map(({ hints }) => {
    const masked = hints.map((hint) => maskHint(hint, nodes));
    return singleNumaNode ? masked.filter(isSingleNode) : masked;
  });
  const order: CombinationOrder = {
    nodes,
    preferClosestNumaNodes: preferClosestNumaNodes && !singleNumaNode,
    neededNodes: Math.max(0, ...lists.map(narrowest)),
  };
  const combinations = combineHints(lists, nodes.all);
  const best = combinations.reduce((a, b) => (compareCombinations(b, a, order) < 0 ? b : a), combinations[0] ?? nothing);
  const preferred = best !== nothing && isPreferred(best);
  const mask = best === nothing ? nodes.all : best.mask;
  const chosen = hintsOf(best);
  return {
    hint: { numaNodes: singleNumaNode && mask === nodes.all ? null : nodes.idsOf(mask), preferred },
    admit: admitsUnaligned || preferred,
    chosen: candidates.flatMap(({ provider, resource }, index) => {
      const hint = chosen[index];
      return hint === undefined ? [] : [{ provider, resource, hint }];
    }),
    unsatisfiable: candidates
      .filter(({ isUnsatisfiable }, index) => isUnsatisfiable || lists[index]?.length === 0)
      .map(({ provider, resource }) => ({ provider, resource })),
  };
}

/** Stands for the best combination where none leaves a NUMA node. */
const nothing: Combination = { mask: 0, relation: relation.differ };

function candidatesOf({ provider, hints }: ProviderHints): Candidates[] {
  const resources = Object.entries(hints);
  if (resources.length === 0) return [{ provider, resource: null, hints: [noPreference], isUnsatisfiable: false }];
  return resources.map(([resource, list]) => {
    const isUnsatisfiable = list?.length === 0;
    return { provider, resource, hints: isUnsatisfiable ? [impossible] : (list ?? [noPreference]), isUnsatisfiable };
  });
}

function maskHint(hint: TopologyHint, nodes: NumaNodes): MaskedHint {
  return { hint, mask: hint.numaNodes && nodes.maskOf(hint.numaNodes), preferred: hint.preferred };
}

const isSingleNode = ({ mask, preferred }: MaskedHint) => preferred && (mask === null || countNodes(mask) === 1);

/** The size of the narrowest hint of a resource; 0 if none names NUMA nodes. */
function narrowest(hints: readonly MaskedHint[]): number {
  const sizes = hints.flatMap(({ mask }) => (mask === null ? [] : [countNodes(mask)]));
  return sizes.length === 0 ? 0 : Math.min(...sizes);
}
