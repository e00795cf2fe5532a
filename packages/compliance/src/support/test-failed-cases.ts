import { runSuite } from '../suite/run-suite.js';
import type { Factory, Suite, SuiteOptions } from '../suite/suite.js';

/** The names of the cases that an implementation fails. */
export async function failedCases<S>(suite: Suite<S>, factory: Factory<S>, options?: SuiteOptions): Promise<string[]> {
  const results = await runSuite(suite, factory, options);
  return results.filter(({ error }) => error !== undefined).map(({ name }) => name);
}

/** What is wrong with an implementation; gets the honest methods, and the implementation that will have the others. */
export type Mutation<T> = (honest: T, mutated: T) => Partial<T>;

/** Gives an honest implementation the methods of a mutation. */
export function mutate<T extends object>(implementation: T, mutation: Mutation<T>): T {
  return Object.assign(implementation, mutation({ ...implementation }, implementation));
}
