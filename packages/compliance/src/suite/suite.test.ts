import { describe, expect, it } from 'vitest';
import { defineSuite } from './define-suite.js';
import { runSuite } from './run-suite.js';
import type { Suite } from './suite.js';

const log: string[] = [];
const suite: Suite<{ n: number }> = {
  name: 'Numbers',
  cases: [
    { name: 'are one', run: async ({ n }) => void log.push(`one ${n}`) },
    { name: 'divide', capability: 'division', run: async () => void log.push('divide') },
    {
      name: 'fail',
      run: async () => {
        throw new Error('as it must');
      },
    },
  ],
};
const factory = () => ({ subject: { n: 1 }, cleanup: () => log.push('cleaned') });

describe('runSuite', () => {
  it('runs each case on a separate subject, cleans up, and reports', async () => {
    log.length = 0;
    const results = await runSuite(suite, factory, { without: ['division'] });
    expect(results).toEqual([
      { name: 'are one', skipped: false },
      { name: 'divide', skipped: true },
      { name: 'fail', skipped: false, error: new Error('as it must') },
    ]);
    expect(log).toEqual(['one 1', 'cleaned', 'cleaned']);
  });

  it('knows the capabilities it can do without', async () => {
    await expect(runSuite(suite, factory, { without: ['magic'] })).rejects.toThrow(/knows no capability magic/);
  });
});

describe('defineSuite', () => {
  it('registers the cases that apply', async () => {
    log.length = 0;
    const tests = new Map<string, () => Promise<void>>();
    const framework = {
      describe: (name: string, body: () => void) => {
        log.push(name);
        body();
      },
      it: (name: string, test: () => Promise<void>) => tests.set(name, test),
    };
    defineSuite(framework, suite, factory, { without: ['division'] });
    expect([...tests.keys()]).toEqual(['are one', 'fail']);
    await tests.get('are one')?.();
    await expect(tests.get('fail')?.()).rejects.toThrow('as it must');
    expect(log).toEqual(['Numbers', 'one 1', 'cleaned', 'cleaned']);
  });
});
