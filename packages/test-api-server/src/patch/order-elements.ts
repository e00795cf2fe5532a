import { isObject } from '@nodeagent/api/helpers';

/**
 * Orders a list after a strategic merge: the elements in `order` have that order, the others keep theirs, and if both
 * were in the list before, they keep their relative order. Otherwise the elements in `order` come first, so an element that a
 * patch adds is before those it does not mention. `mergeKey` is `''` for a list of scalars.
 */
export function orderElements(
  list: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  mergeKey: string,
): unknown[] {
  const keyOf = (element: unknown) => (mergeKey === '' ? element : isObject(element) ? element[mergeKey] : undefined);
  const ranks = (elements: readonly unknown[]) => new Map(elements.map((element, rank) => [keyOf(element), rank]));
  const [wantedRank, oldRank] = [ranks(order), ranks(before)];
  const rankIn = (rank: ReadonlyMap<unknown, number>, element: unknown) => rank.get(keyOf(element)) ?? Number.POSITIVE_INFINITY;
  const isNamed = (element: unknown) => wantedRank.has(keyOf(element));

  const named = list.filter(isNamed).sort((a, b) => rankIn(wantedRank, a) - rankIn(wantedRank, b));
  const others = list.filter((element) => !isNamed(element));
  const ordered: unknown[] = [];
  for (const element of named) {
    while (others.length > 0 && oldRank.has(keyOf(element)) && rankIn(oldRank, others[0]) < rankIn(oldRank, element)) {
      ordered.push(others.shift());
    }
    ordered.push(element);
  }
  return [...ordered, ...others];
}
