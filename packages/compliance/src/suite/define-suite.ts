import { applicableCases, type Factory, runCase, type Suite, type SuiteOptions } from './suite.js';

/** What a suite needs of a test framework: vitest's, jest's and node:test's functions fit as they are. */
export interface TestFramework {
  describe(name: string, body: () => void): unknown;
  it(name: string, test: () => Promise<void>): unknown;
}

/** Turns a suite into tests of a framework: `defineSuite({ describe, it }, criRuntimeSuite, factory)`. */
export function defineSuite<S>(framework: TestFramework, suite: Suite<S>, factory: Factory<S>, options: SuiteOptions = {}): void {
  const { applicable } = applicableCases(suite, options);
  framework.describe(suite.name, () => {
    for (const each of applicable) framework.it(each.name, () => runCase(each, factory));
  });
}
