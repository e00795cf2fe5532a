import { isDeepStrictEqual } from 'node:util';
import { NodeAgentError } from '@nodeagent/api';

/** A promise that does not hold. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

export function promise(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BrokenPromise(what);
}

/** Fails if both values differ; undefined members count. */
export function promiseSame(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) throw new BrokenPromise(`${what}: ${shown(actual)} instead of ${shown(expected)}`);
}

/** The error, which must be one of the package's documented errors. */
export function promiseDocumented(error: unknown, codes: readonly string[], what: string): NodeAgentError {
  if (!(error instanceof NodeAgentError)) throw new BrokenPromise(`${what}: an undocumented error: ${describe(error)}`, { cause: error });
  promise(codes.includes(error.code), `${what}: the undocumented code ${error.code}: ${error.message}`);
  promise(error.message !== '', `${what}: an error without a message`);
  return error;
}

/** The result of a call; undefined after one of the documented errors. */
export async function resultUnless<T>(codes: readonly string[], what: string, call: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    promiseDocumented(error, codes, what);
    return undefined;
  }
}

/** Fails unless the value is plain data that JSON keeps: without undefined, NaN, infinite numbers and classes. */
export function promisePlain(value: unknown, what: string): void {
  promiseSame(JSON.parse(JSON.stringify(value)), value, `${what} is not plain data`);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join(' ') : String(error);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each)) ?? String(value);
  return text.length > 1_000 ? `${text.slice(0, 1_000)}...` : text;
}
