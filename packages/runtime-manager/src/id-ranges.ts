import { invalidOption } from '@nodeagent/api';

/** A block of user and group ids of the node. */
export interface IdBlock {
  first: number;
  count: number;
}

/** Hands out ranges of equal length that do not overlap, the lowest free one first. */
export interface IdRanges {
  readonly length: number;
  /** The first id of a range that is free until now; undefined if there is none. */
  take(): number | undefined;
  /** Takes the range that begins at this id; false if it is none of the ranges, or taken. */
  claim(first: number): boolean;
  release(first: number): void;
}

/** All ids that a user namespace knows. */
const idCount = 2 ** 32;

/** Ids of a pod where nothing else is said. */
export const defaultIdsPerPod = 65_536;

/** What is wrong with a block for ranges of this length. The node's own users have the ids below the first range. */
export function idBlockProblem({ first, count }: IdBlock, length: number): { field: keyof IdBlock; expected: string } | undefined {
  if (!(Number.isInteger(first) && first >= length)) return { field: 'first', expected: `at least ${length}` };
  const isValid = Number.isInteger(count) && count >= length && first + count <= idCount;
  return isValid ? undefined : { field: 'count', expected: `between ${length} and ${idCount - first}` };
}

/** Ranges of `length` ids in the block; by default all above the first range, which the node's own users have. Throws `InvalidOption`. */
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
