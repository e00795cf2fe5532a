import assert from 'node:assert/strict';
import type { TestFramework } from '../suite/define-suite.js';
import type { Factory, Suite } from '../suite/suite.js';
import { failedCases } from './test-failed-cases.js';

/** A defect: gets the correct methods and the mutated implementation, and returns the wrong methods. */
export type Mutation<T> = (honest: T, mutated: T) => Partial<T>;

/** Applies a mutation to a correct implementation. */
export function mutate<T extends object>(implementation: T, mutation: Mutation<T>): T {
  return Object.assign(implementation, mutation(honestMembers(implementation), implementation));
}

/** The members of an implementation, whose methods a mutation may call alone. */
function honestMembers<T extends object>(implementation: T): T {
  const prototype: object = Object.getPrototypeOf(implementation);
  if (prototype === Object.prototype) return { ...implementation };
  const methods = Object.entries(Object.getOwnPropertyDescriptors(prototype)).flatMap(([name, { value }]) =>
    typeof value === 'function' ? [[name, value.bind(implementation)]] : [],
  );
  return { ...Object.fromEntries(methods), ...implementation };
}

/** A defect, its set-up, and the case that must fail. */
export type MutationRow<S> = [wrong: string, factory: Factory<S>, promise: RegExp];

/** Tests that each mutation fails its case, and that every case is failed by a mutation. */
export function defineMutations<S>(it: TestFramework['it'], suite: Suite<S>, rows: readonly MutationRow<S>[]): void {
  const failures = new Map<string, Promise<string[]>>();
  const failuresOf = ([wrong, factory]: MutationRow<S>): Promise<string[]> => {
    const known = failures.get(wrong) ?? failedCases(suite, factory);
    failures.set(wrong, known);
    return known;
  };
  for (const row of rows) {
    it(`notices: ${row[0]}`, async () => {
      const failed = await failuresOf(row);
      assert.ok(
        failed.some((name) => row[2].test(name)),
        `${row[2]} is not among the failed cases: ${failed.join('; ') || 'none'}`,
      );
    });
  }
  it('has no case that every mutation passes', async () => {
    const failed = new Set<string>();
    for (const row of rows) for (const name of await failuresOf(row)) failed.add(name);
    const vacuous = suite.cases.map(({ name }) => name).filter((name) => !failed.has(name));
    assert.deepEqual(vacuous, []);
  });
}
