import assert from 'node:assert/strict';
import type { TestFramework } from '../suite/define-suite.js';
import type { Factory, Suite } from '../suite/suite.js';
import { failedCases } from './test-failed-cases.js';

/** What is wrong with an implementation; gets the honest methods, and the implementation that will have the others. */
export type Mutation<T> = (honest: T, mutated: T) => Partial<T>;

/** Gives an honest implementation the methods of a mutation. */
export function mutate<T extends object>(implementation: T, mutation: Mutation<T>): T {
  return Object.assign(implementation, mutation({ ...implementation }, implementation));
}

/** What a mutated implementation does wrong, how it is set up, and the case that it must fail. */
export type MutationRow<S> = [wrong: string, factory: Factory<S>, promise: RegExp];

/** Tests that each mutation fails the case it must, and that every case of the suite is failed by some mutation. */
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
