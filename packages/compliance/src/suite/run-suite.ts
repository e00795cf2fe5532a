import { applicableCases, type CaseResult, type Factory, runCase, type Suite, type SuiteOptions } from './suite.js';

/** Runs a suite without a test framework, one case at a time. The error of a failed case is in the result; it does not reject. */
export async function runSuite<S>(suite: Suite<S>, factory: Factory<S>, options: SuiteOptions = {}): Promise<CaseResult[]> {
  const { applicable } = applicableCases(suite, options);
  const results: CaseResult[] = [];
  for (const each of suite.cases) {
    const { name } = each;
    if (!applicable.includes(each)) {
      results.push({ name, skipped: true });
      continue;
    }
    try {
      await runCase(each, factory);
      results.push({ name, skipped: false });
    } catch (error) {
      results.push({ name, skipped: false, error });
    }
  }
  return results;
}
