/** The subsets of `size` elements of a list, in lexicographic order of the elements' positions. */
export function combinations<T>(list: readonly T[], size: number): Generator<T[]> {
  return extend(list, 0, [], size, size);
}

/**
 * Like {@link combinations}, but combinations with the same head share one array, which the generator overwrites: a combination that is kept
 * becomes the last one with its head. The kubelet keeps its best combination in such an array, because Go's `append` reuses memory; its choices
 * depend on that.
 */
export function overwrittenCombinations<T>(list: readonly T[], size: number): Generator<T[]> {
  return extend(list, 0, [], size, headSize(size));
}

/** The length at which a slice that grows to `size` elements by `append` was last moved: Go doubles its capacity. */
function headSize(size: number): number {
  return size < 2 ? size : 2 ** Math.floor(Math.log2(size - 1)) + 1;
}

function* extend<T>(list: readonly T[], start: number, chosen: T[], size: number, copied: number, length = 0): Generator<T[]> {
  if (length === size) {
    yield chosen;
    return;
  }
  for (let index = start; index <= list.length - (size - length); index++) {
    const extended = length < copied ? [...chosen] : chosen;
    extended[length] = list[index] as T;
    yield* extend(list, index + 1, extended, size, copied, length + 1);
  }
}
