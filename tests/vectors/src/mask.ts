// biome-ignore lint/suspicious/noExplicitAny: outputs are of any shape
export type Recorded = any;

/** Both outputs of a case as plain JSON. */
export interface Sides {
  /** Recorded. */
  expected: Recorded;
  /** Replayed. */
  actual: Recorded;
  input: Recorded;
}

/** A difference between a recording and its replay that does not count. */
export interface Mask {
  name: string;
  /** Why the difference does not count. The run prints it. */
  reason: string;
  /** Returns the outputs without the difference. May change them in place. */
  hide(sides: Sides): Partial<Omit<Sides, 'input'>>;
}
