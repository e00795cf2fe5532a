import type { Arbitrary } from 'fast-check';
import type { Json } from './generate/json.js';

/** One kind of untrusted input and what the packages promise for it. */
export interface FuzzTarget {
  /** In kebab case; also the folder of its cases. */
  name: string;
  /** What holds for every input. */
  promise: string;
  /** Number of inputs of a run in CI. */
  runs: number;
  /** Inputs are JSON, so that a finding can be kept as a case. */
  inputs: Arbitrary<Json>;
  /** Throws, or rejects, if the promise is broken for the input. */
  check(input: Json): void | Promise<void>;
}

/** A target with its type of input. */
export function fuzzTarget<Input extends Json>(target: {
  name: string;
  promise: string;
  runs: number;
  inputs: Arbitrary<Input>;
  check(input: Input): void | Promise<void>;
}): FuzzTarget {
  return { ...target, check: (input) => target.check(input as Input) };
}
