/** What the instrumented bundle states about its code. */
export interface InstrumentedCode {
  /** Number of counted places. */
  edges: number;
  /** In ascending order of their first edges. */
  files: { name: string; firstEdge: number; literals: (string | number)[] }[];
}

declare global {
  /** Both are set by the instrumented bundle. The counters stop at 255. */
  var fuzzEdges: Uint8ClampedArray | undefined;
  var fuzzCode: InstrumentedCode | undefined;
}

/** What the inputs of one target reached. */
export interface Edges {
  /** Starts an input. */
  reset(): void;
  /** Ends an input. Returns whether it reached a place for the first time, or for the first time that often. */
  collect(): boolean;
  /** Number of reached places. */
  readonly reached: number;
  /** Texts and numbers in the reached files. */
  literals(): (string | number)[];
}

/** Undefined in a process without counters. */
export function createEdges(): Edges | undefined {
  const { fuzzEdges: counts, fuzzCode: code } = globalThis;
  if (counts === undefined || code === undefined) return undefined;
  const words = new Uint32Array(counts.buffer, 0, counts.length >> 2);
  /** For each place a bit for each range of counts. */
  const seen = new Uint8Array(counts.length);
  let reached = 0;

  function collectPlace(place: number): boolean {
    const count = counts?.[place] ?? 0;
    const before = seen[place] ?? 0;
    const after = before | rangeOf(count);
    if (count === 0 || after === before) return false;
    if (before === 0) reached++;
    seen[place] = after;
    return true;
  }

  return {
    reset: () => void counts.fill(0),
    collect() {
      let isNew = false;
      for (let word = 0; word < words.length; word++) {
        if (words[word] === 0) continue;
        for (let place = word * 4; place < word * 4 + 4; place++) if (collectPlace(place)) isNew = true;
      }
      for (let place = words.length * 4; place < counts.length; place++) if (collectPlace(place)) isNew = true;
      return isNew;
    },
    get reached() {
      return reached;
    },
    literals() {
      const isReached = (index: number) =>
        seen.subarray(code.files[index]?.firstEdge, code.files[index + 1]?.firstEdge).some((bits) => bits !== 0);
      return [...new Set(code.files.flatMap(({ literals }, index) => (isReached(index) ? literals : [])))];
    },
  };
}

/** A bit for 1, 2, 3, 4 to 7, 8 to 15, 16 to 31, 32 to 127 and from 128 on. */
function rangeOf(count: number): number {
  if (count < 4) return (1 << count) >> 1;
  if (count < 32) return 1 << (Math.floor(Math.log2(count)) + 1);
  return count < 128 ? 64 : 128;
}
