import type { Mask } from './mask.js';

/** How the outputs of a file are compared. */
export interface CompareOptions {
  /** null, '', 0, false, empty lists and empty maps equal an absent key, everywhere in the output. Default false. */
  emptyIsAbsent?: boolean;
  /** null, empty lists and empty maps equal an absent key. Default true. */
  nullIsAbsent?: boolean;
  /** Keys whose empty map is a value and not absent, such as `waiting` in the state `waiting: {}`. Default: none. */
  emptyMaps?: readonly string[];
  /** What is not compared, applied in this order. Default: none. */
  masks?: readonly Mask[];
}

/** An adapter's second argument, beside a case's input. */
export interface CaseContext {
  /** Folder of the vector file; companions such as `cpu-topologies.json` are there. */
  dir: string;
}

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
export type Run = (input: any, context: CaseContext) => unknown;

/** Replays the cases of one vector file: takes the input of the kubelet's function and returns (or resolves to) the package's output. */
export interface Adapter {
  /** The file's name without `.jsonl`. */
  name: string;
  run: Run;
  compare: CompareOptions;
}

export function defineAdapter(name: string, run: Run, compare: CompareOptions = {}): Adapter {
  return { name, run, compare };
}
