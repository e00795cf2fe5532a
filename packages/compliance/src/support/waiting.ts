import assert from 'node:assert/strict';

/**
 * Advances the implementation's clock: waits with a real clock, advances a virtual one. When it resolves, all promises that need no more
 * time have settled.
 */
export type Advance = (ms: number) => Promise<void>;

/** Waits for promises that need no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** The current state of a promise. */
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

/** Advances the clock in a hundred steps until the condition holds; fails after `limitMs`. */
export async function eventually(advance: Advance, what: string, condition: () => unknown, limitMs = 5_000): Promise<void> {
  await settle();
  for (let waited = 0; waited <= limitMs; waited += limitMs / 100) {
    if (await condition()) return;
    await advance(limitMs / 100);
    await settle();
  }
  assert.fail(`not within ${limitMs} ms: ${what}`);
}

/** Advances the clock until the promise settles, and settles likewise; fails after `limitMs`. */
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
