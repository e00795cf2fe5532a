import { expect, it } from 'vitest';
import { describeStep, describeSteps } from './sync-steps.js';

it('lists the steps of a sync with their reasons, without the containers that it keeps', () => {
  expect(
    describeSteps([
      { action: 'createSandbox', target: '', reason: 'the pod has none' },
      { action: 'keep', target: 'side', reason: 'it runs' },
      { action: 'start', target: 'main', reason: 'it exited' },
    ]),
  ).toBe('create a sandbox (the pod has none), start main (it exited)');
  expect(describeSteps([{ action: 'keep', target: 'main', reason: 'it runs' }])).toBe('');
  expect(describeSteps()).toBe('');
  expect(describeStep({ action: 'update', target: 'main' })).toBe('change the resources of main');
});
