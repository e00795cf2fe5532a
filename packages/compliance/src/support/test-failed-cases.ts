import { runSuite } from '../suite/run-suite.js';
import type { Factory, Suite, SuiteOptions } from '../suite/suite.js';

/** The names of the cases that an implementation fails. */
export async function failedCases<S>(suite: Suite<S>, factory: Factory<S>, options?: SuiteOptions): Promise<string[]> {
  const results = await runSuite(suite, factory, options);
  return results.filter(({ error }) => error !== undefined).map(({ name }) => name);
}
