import { expect, it } from 'vitest';
import { afterRepetition, stepsToRepeat } from './repeat-failures.mjs';

const e2e = { name: 'e2e', dependsOnSpeed: true, tests: ['all'] };
const traces = { name: 'traces', dependsOnSpeed: true };
const lint = { name: 'lint' };

it('repeats the files with failed tests, and other steps whole', () => {
  const outcomes = [
    { step: e2e, failed: 2, failedFiles: ['a.e2e.ts', 'b.e2e.ts'] },
    { step: traces, failed: 1 },
    { step: lint, failed: 0 },
  ];
  expect(stepsToRepeat(outcomes).map(({ step }) => step)).toEqual([{ ...e2e, tests: ['a.e2e.ts', 'b.e2e.ts'] }, traces]);
});

it('repeats nothing after many failures, or one of a step that depends on no time', () => {
  const failed = { step: e2e, failed: 3, failedFiles: ['a.e2e.ts'] };
  expect(stepsToRepeat([failed, { ...failed, step: traces }])).toEqual([]);
  expect(stepsToRepeat([failed, { step: lint, failed: 1 }])).toEqual([]);
  expect(stepsToRepeat([{ step: e2e, failed: 0 }])).toEqual([]);
});

it('counts what fails again as failed, and shows what does not', () => {
  const first = { passed: 8, failed: 2, failures: ['a: late', 'b: late'] };
  expect(afterRepetition(first, { passed: 2, failed: 0, failures: [] })).toMatchObject({
    ...{ passed: 10, failed: 0, failures: [], failedBeside: ['a: late', 'b: late'] },
  });
  expect(afterRepetition(first, { passed: 1, failed: 1, failures: ['b: wrong'] })).toMatchObject({
    ...{ passed: 9, failed: 1, failures: ['b: wrong'], failedBeside: [] },
  });
});

it('counts a repetition that could not be counted as failed', () => {
  const first = { passed: 8, failed: 1, failures: ['a: late'] };
  expect(afterRepetition(first, { passed: 0, failed: 1, ending: ['out of memory'] })).toMatchObject({
    ...{ passed: 8, failed: 1, failures: [], ending: ['out of memory'] },
  });
});
