import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { recordedRun } from '../support/reliability-runs.js';
import { runFailing } from './failing-calls.js';
import { type RecordedRates, ratesOf, ratesTable, summaryOf } from './failing-calls-table.js';

const read = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

describe('a run', () => {
  it('reports the rate of the failing call, and that the node heals', async () => {
    const failing = { call: 'cri updateContainerResources', kind: 'refused' } as const;
    const outcome = summaryOf(await runFailing({ phase: 'resize', evented: 'auto', failing }));
    expect(outcome).toMatchObject({ failing, problems: [] });
    expect(outcome.inTenMinutes).toBeGreaterThan(40);
    expect(outcome.perMinute).toBeGreaterThan(4);
    expect(outcome.healedAfterSeconds).toBeGreaterThan(0);
  });
});

describe('the table', () => {
  const run = { evented: 'auto', problems: [], healedAfterSeconds: 0 } as const;
  const failing = { call: 'cri runPodSandbox', kind: 'refused' } as const;
  const rates = ratesOf([
    { ...run, failing, phase: 'start', perMinute: 7, inTenMinutes: 50 },
    { ...run, failing, phase: 'probe', perMinute: 9, inTenMinutes: 40 },
  ]);

  it('has the highest rate of each call', () => {
    expect(rates).toEqual([{ call: 'cri runPodSandbox', phases: ['start', 'probe'], runs: 2, perMinute: 9, inTenMinutes: 50 }]);
    expect(ratesTable({ date: '2026-01-31', commit: '0123abcd', rates }).split('\n')).toEqual([
      '2 runs on 2026-01-31 at 0123abcd.',
      '',
      expect.stringContaining('| failing call |'),
      expect.stringContaining('| --- |'),
      '| `cri runPodSandbox` | 2 | 9 | 50 | 75 | failed sync of the pod: 10 s, with jitter, and ten retries at events |',
    ]);
  });

  it('is in docs/reliability-runs.md as recorded', () => {
    const recorded = JSON.parse(read('failing-calls.json')) as RecordedRates;
    expect(recordedRun('simulate:failing-calls')).toBe(ratesTable(recorded));
  });
});
