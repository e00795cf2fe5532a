import type { TopologyHint } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { mergeHints, type ProviderHints } from './merge-hints.js';

const cases = 400;
const seeds = [1, 2, 3];

type Mask = number;
const bits = (mask: Mask) => mask.toString(2).replaceAll('0', '').length;
const idsOf = (mask: Mask, count: number) => Array.from({ length: count }, (_, id) => id).filter((id) => mask & (1 << id));

/** Every combination of one element of each list. */
function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((all, list) => all.flatMap((each) => list.map((element) => [...each, element])), [[]]);
}

/** The kubelet's rule, one comparison after another over the whole product: the state is the best candidate so far. */
function mergeByProduct(lists: readonly (readonly TopologyHint[])[], count: number, distances: number[][], closest: boolean): TopologyHint {
  const maskOf = ({ numaNodes }: TopologyHint) => numaNodes?.reduce((mask, id) => mask | (1 << id), 0) ?? null;
  const meanDistance = (mask: Mask) => {
    const ids = idsOf(mask, count);
    const sum = ids.flatMap((from) => ids.map((to) => distances[from]?.[to] ?? 0)).reduce((a, b) => a + b, 0);
    return sum / ids.length ** 2;
  };
  const narrower = (current: Mask, candidate: Mask): Mask => {
    if (current === candidate) return current;
    if (bits(current) !== bits(candidate)) return bits(current) < bits(candidate) ? current : candidate;
    if (closest && meanDistance(current) !== meanDistance(candidate))
      return meanDistance(current) < meanDistance(candidate) ? current : candidate;
    return Math.min(current, candidate);
  };
  const needed = Math.max(
    0,
    ...lists.map((list) => {
      const sizes = list.map(maskOf).filter((mask) => mask !== null);
      return sizes.length === 0 ? 0 : Math.min(...sizes.map(bits));
    }),
  );
  const all = 2 ** count - 1;
  let best: { mask: Mask; preferred: boolean } | undefined;
  for (const combination of product(lists)) {
    const masks = combination.map(maskOf).filter((mask) => mask !== null);
    const mask = masks.reduce((merged, each) => merged & each, all);
    const preferred = combination.every((hint) => hint.preferred) && new Set(masks).size <= 1;
    if (mask === 0) continue;
    const takes = (): boolean => {
      if (best === undefined) return true;
      if (best.preferred !== preferred) return preferred;
      const isNarrower = narrower(best.mask, mask) !== best.mask;
      if (preferred || bits(best.mask) > needed) return isNarrower;
      if (bits(best.mask) === needed) return bits(mask) === needed && isNarrower;
      if (bits(mask) > needed) return false;
      if (bits(mask) === needed || bits(mask) > bits(best.mask)) return true;
      return bits(mask) === bits(best.mask) && isNarrower;
    };
    if (takes()) best = { mask, preferred };
  }
  return { numaNodes: idsOf(best?.mask ?? all, count), preferred: best?.preferred ?? false };
}

it.each(seeds)('merges like a comparison of the whole product of hints, with random hints (seed %i)', (seed) => {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let round = 0; round < cases; round++) {
    const count = 1 + below(5);
    const distances = Array.from({ length: count }, () => Array.from({ length: count }, () => 10 + below(3)));
    const lists = Array.from({ length: 1 + below(3) }, () =>
      Array.from({ length: 1 + below(7) }, (): TopologyHint => {
        return { numaNodes: below(8) === 0 ? null : idsOf(1 + below(2 ** count - 1), count), preferred: below(2) === 0 };
      }),
    );
    const preferClosestNumaNodes = below(2) === 0;
    const { hint, chosen } = mergeHints({
      policy: 'best-effort',
      numaNodes: distances.map((each, id) => ({ id, distances: each })),
      providers: lists.map((list, index): ProviderHints => ({ provider: `p${index}`, hints: { r: list } })),
      preferClosestNumaNodes,
    });
    const context = `case ${round} of seed ${seed}: ${JSON.stringify({ lists, distances, preferClosestNumaNodes })}`;
    expect(hint, context).toEqual(mergeByProduct(lists, count, distances, preferClosestNumaNodes));
    // The reported combination leads to the hint.
    if (chosen.length === 0) continue;
    expect(
      mergeByProduct(
        chosen.map((each) => [each.hint]),
        count,
        distances,
        false,
      ),
      context,
    ).toEqual(hint);
  }
});
