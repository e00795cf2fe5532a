/** How outputs of a file are compared; what its README says about comparing, said once. */
export interface CompareOptions {
  /** null, '', 0, false, empty lists and empty maps equal an absent key, everywhere in the output. Default false. */
  emptyIsAbsent?: boolean;
  /** null, empty lists and empty maps equal an absent key. Default true. */
  nullIsAbsent?: boolean;
  /** Applied to both sides before comparing: sorts what has no order, masks what has no meaning. */
  // biome-ignore lint/suspicious/noExplicitAny: outputs are of any shape
  normalize?: (output: any, input: any) => unknown;
  /** Where a case allows several outcomes: the one that the answer is compared with. Applied before everything else. */
  // biome-ignore lint/suspicious/noExplicitAny: outputs are of any shape
  choose?: (expected: any, actual: any) => unknown;
}

/** What an adapter gets beside a case's input. */
export interface CaseContext {
  /** Folder of the vector file; companions such as `cpu-topologies.json` lie there. */
  dir: string;
}

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
export type Run = (input: any, context: CaseContext) => unknown;

/** Replays the cases of one vector file: what the kubelet's function was given goes in, what ours answers (or promises) comes out. */
export interface Adapter {
  /** The file's name without `.jsonl`. */
  name: string;
  run: Run;
  compare: CompareOptions;
}

export function defineAdapter(name: string, run: Run, compare: CompareOptions = {}): Adapter {
  return { name, run, compare };
}
