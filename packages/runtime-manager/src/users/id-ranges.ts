import { invalidOption } from '@nodeagent/api';

/** A block of user and group ids of the node. */
export interface IdBlock {
  first: number;
  count: number;
}

/** Hands out ranges of equal length that do not overlap, the lowest free one first. */
export interface IdRanges {
  readonly length: number;
  /** Allocates a free range and returns its first id; undefined if none is free. */
  take(): number | undefined;
  /** Allocates the range that starts at this id; false if no range starts there or it is already allocated. */
  claim(first: number): boolean;
  release(first: number): void;
}

/** The number of ids in a user namespace. */
const idCount = 2 ** 32;

/** Default number of ids for a pod. */
export const defaultIdsPerPod = 65_536;

/** Which field of the block is invalid for ranges of this length. Ids below the first range are reserved for the node's users. */
export function idBlockProblem({ first, count }: IdBlock, length: number): { field: keyof IdBlock; expected: string } | undefined {
  if (!(Number.isInteger(first) && first >= length)) return { field: 'first', expected: `at least ${length}` };
  const isValid = Number.isInteger(count) && count >= length && first + count <= idCount;
  return isValid ? undefined : { field: 'count', expected: `between ${length} and ${idCount - first}` };
}

/** Ranges of `length` ids in the block. Default: all ids except the first range, which is reserved for the node's users. Throws `InvalidOption`. */
export function createIdRanges(length: number, block: IdBlock = { first: length, count: idCount - length }): IdRanges {
  const { first: start, count } = block;
  if (!(Number.isInteger(length) && length > 0 && length % 65_536 === 0)) throw invalidOption('idsPerPod', 'a multiple of 65536', length);
  const problem = idBlockProblem(block, length);
  if (problem) throw invalidOption(`ids.${problem.field}`, problem.expected, block[problem.field]);
  const slots = Math.floor(count / length);
  const taken = new Set<number>();
  return {
    length,
    take() {
      if (taken.size === slots) return undefined;
      let slot = 0;
      while (taken.has(slot)) slot++;
      taken.add(slot);
      return start + slot * length;
    },
    claim(first) {
      const slot = (first - start) / length;
      if (!Number.isInteger(slot) || slot < 0 || slot >= slots || taken.has(slot)) return false;
      taken.add(slot);
      return true;
    },
    release: (first) => void taken.delete((first - start) / length),
  };
}
