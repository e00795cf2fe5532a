/** How outputs of a file are compared; what its README says about comparing, said once. */
export interface CompareOptions {
  /** null, '', 0, false, empty lists and empty maps equal an absent key, everywhere in the output. Default false. */
  emptyIsAbsent?: boolean;
  /** null, empty lists and empty maps equal an absent key. Default true. */
  nullIsAbsent?: boolean;
  /** Applied to both sides before comparing: sorts what has no order, masks what has no meaning. */
  // biome-ignore lint/suspicious/noExplicitAny: outputs are of any shape
  normalize?: (output: any, input: any) => unknown;
}

/** Replays the cases of one vector file: what the kubelet's function was given goes in, what ours answers (or promises) comes out. */
export interface Adapter {
  /** The file's name without `.jsonl`. */
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
  run: (input: any) => unknown;
  compare: CompareOptions;
}

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
export function defineAdapter(name: string, run: (input: any) => unknown, compare: CompareOptions = {}): Adapter {
  return { name, run, compare };
}
