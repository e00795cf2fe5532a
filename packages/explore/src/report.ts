import { disturbances, type Schedule, scheduleText } from './disturbance.js';
import { operationText } from './operation.js';
import type { Broken, Run } from './run.js';

interface Found {
  schedule: Schedule;
  broken: readonly Broken[];
  run: Run;
}

/** What broke, when, and what happened before it. */
export function failureText({ schedule, broken, run }: Found, seed: number): string {
  const steps = schedule.map(({ kind, at, resource }) => {
    const operation = run.operations[at - 1];
    const where = operation ? operationText(operation) : String(at);
    return `  at request ${where}: ${disturbances[kind]}${resource === undefined ? '' : ` (watches of ${resource})`}`;
  });
  return [
    ...broken.map(({ invariant, message }) => `broken: ${invariant}\n${indented(message)}`),
    `schedule: ${scheduleText(schedule)}, seed ${seed}`,
    ...steps,
    'timeline:',
    ...run.timeline.map((line) => `  ${line}`),
  ].join('\n');
}

const indented = (text: string) => text.replace(/^/gm, '  ');

/** A test that repeats a run; `scenario.js` stands for the module of the scenario. */
export function testText({ schedule, broken }: Found, seed: number): string {
  const text = scheduleText(schedule);
  const names = broken.map(({ invariant }) => invariant).join(', ');
  return `import { replay } from '@nodeagent/explore';
import { expect, it } from 'vitest';
import { options, setup } from './scenario.js';

it(${JSON.stringify(`${names}: ${text}`)}, async () => {
  const { broken } = await replay(setup, { ...options, seed: ${seed} }, ${JSON.stringify(text)});
  expect(broken).toEqual([]);
});
`;
}
