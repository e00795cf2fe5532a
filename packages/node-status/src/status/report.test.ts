import { expect, it } from 'vitest';
import { decideNodeReport } from './report.js';

const base = { changed: false, delay: 0, reportFrequency: 300_000 };

it.each<[string, Parameters<typeof decideNodeReport>, ReturnType<typeof decideNodeReport>]>([
  ['the first report', [base, 0, 0.5], { report: true, delay: 0 }],
  ['nothing new', [{ ...base, lastReport: 0 }, 299_999, 0.9], { report: false, delay: 0 }],
  ['time', [{ ...base, lastReport: 0 }, 300_000, 0.9], { report: true, delay: 0 }],
  ['a change', [{ ...base, lastReport: 0, changed: true }, 1, 0], { report: true, delay: -150_000 }],
  ['a shorter wait after a change', [{ ...base, lastReport: 0, delay: -150_000 }, 150_000, 0], { report: true, delay: 0 }],
  ['a longer wait after a change', [{ ...base, lastReport: 0, delay: 150_000 }, 449_999, 0], { report: false, delay: 150_000 }],
])('decides by %s', (_what, args, decision) => {
  expect(decideNodeReport(...args)).toEqual(decision);
});
