/** Maximum number of lines queued for a slow reader; a watch with more is closed. */
const longestQueue = 10_000;

/** An event of a watch: a line of JSON or a frame of protobuf. */
export type Line = string | Uint8Array;

/** The queue between the server, which never blocks, and one reader. */
export class LineQueue {
  #lines: Line[] = [];
  #waiting: { resolve(result: IteratorResult<Line>): void; reject(error: Error): void } | undefined;
  #error: Error | undefined;
  closed = false;

  /** Lines before the first change; they do not count towards the limit. */
  #allowance = 0;

  allow(lines: number): void {
    this.#allowance += lines;
  }

  /** Returns false if the reader is too slow. */
  push(line: Line): boolean {
    if (this.#waiting) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      resolve({ value: line, done: false });
      return true;
    }
    if (this.#lines.length >= longestQueue + this.#allowance) return false;
    this.#lines.push(line);
    return true;
  }

  close(): void {
    this.closed = true;
    this.#waiting?.resolve({ value: undefined, done: true });
    this.#waiting = undefined;
  }

  /** Drops the queue; the reader gets the error. */
  fail(error: Error): void {
    this.#lines = [];
    this.#error = error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  /** Returns the queued lines as one chunk. */
  next(): Promise<IteratorResult<Line>> {
    if (this.#lines.length > 0) {
      const value = joined(this.#lines);
      this.#lines = [];
      return Promise.resolve({ value, done: false });
    }
    if (this.#error) return Promise.reject(this.#error);
    if (this.closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }
}

/** All lines of a queue have the same type. */
function joined(lines: readonly Line[]): Line {
  if (typeof lines[0] === 'string') return lines.join('');
  const frames = lines as readonly Uint8Array[];
  const all = new Uint8Array(frames.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const frame of frames) {
    all.set(frame, at);
    at += frame.length;
  }
  return all;
}
