import assert from 'node:assert/strict';

/** Lets time pass: waits with a real clock, moves a virtual one. */
export type Advance = (ms: number) => Promise<void>;

const stepMs = 100;

/** Waits, within a limit of the subject's time, until the condition holds. */
export async function eventually(what: string, condition: () => boolean, advance: Advance, limitMs: number): Promise<void> {
  for (let waited = 0; !condition(); waited += stepMs) {
    if (waited > limitMs) assert.fail(`not within ${limitMs} ms: ${what}`);
    await advance(stepMs);
  }
}

/** The outcome of a promise that needs the subject's time to settle. Fails if it does not settle within the limit. */
export async function settled<T>(what: string, promise: Promise<T>, advance: Advance, limitMs: number): Promise<T> {
  const { outcome } = observe(promise);
  await advance(1);
  await eventually(`${what} settles`, () => outcome() !== 'pending', advance, limitMs);
  return promise;
}

/** How a promise stands, without waiting for one that may never settle. Its rejection counts as handled. */
export function observe(promise: Promise<unknown>): { outcome(): 'pending' | 'resolved' | 'rejected' } {
  let outcome: 'pending' | 'resolved' | 'rejected' = 'pending';
  promise.then(
    () => {
      outcome = 'resolved';
    },
    () => {
      outcome = 'rejected';
    },
  );
  return { outcome: () => outcome };
}
