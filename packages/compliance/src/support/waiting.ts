import assert from 'node:assert/strict';

/**
 * Lets this much time of the implementation's clock pass: waits with a real clock, moves a virtual one. What can settle without more time
 * has settled when it resolves.
 */
export type Advance = (ms: number) => Promise<void>;

/** Lets settle what needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** How a promise settled, so far. */
export interface Settling<T> {
  settled: boolean;
  value?: T;
  error?: unknown;
}

/** Follows a promise without waiting for it; its rejection counts as handled. */
export function follow<T>(promise: Promise<T>): Settling<T> {
  const settling: Settling<T> = { settled: false };
  promise.then(
    (value) => Object.assign(settling, { settled: true, value }),
    (error: unknown) => Object.assign(settling, { settled: true, error }),
  );
  return settling;
}

/** Lets time pass until the condition holds, in a hundred steps; fails after `limitMs`. */
export async function eventually(advance: Advance, what: string, condition: () => unknown, limitMs = 5_000): Promise<void> {
  await settle();
  for (let waited = 0; waited <= limitMs; waited += limitMs / 100) {
    if (await condition()) return;
    await advance(limitMs / 100);
    await settle();
  }
  assert.fail(`not within ${limitMs} ms: ${what}`);
}

/** Lets time pass until the promise settles, and settles as it does; fails after `limitMs`. */
export async function settled<T>(advance: Advance, what: string, promise: Promise<T>, limitMs?: number): Promise<T> {
  const settling = follow(promise);
  await eventually(advance, what, () => settling.settled, limitMs);
  return promise;
}

/** A promise that the caller settles. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
