import { applicableCases, type Factory, runCase, type Suite, type SuiteOptions } from './suite.js';

/** The functions of a test framework: those of vitest, jest and node:test are compatible. */
export interface TestFramework {
  describe(name: string, body: () => void): unknown;
  it(name: string, test: () => Promise<void>): unknown;
}

/** Registers a suite as tests of a framework: `defineSuite({ describe, it }, criRuntimeSuite, factory)`. */
export function defineSuite<S>(framework: TestFramework, suite: Suite<S>, factory: Factory<S>, options: SuiteOptions = {}): void {
  const { applicable } = applicableCases(suite, options);
  framework.describe(suite.name, () => {
    for (const each of applicable) framework.it(each.name, () => runCase(each, factory));
  });
}
