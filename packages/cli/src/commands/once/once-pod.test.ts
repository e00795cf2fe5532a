import type { ContainerState, Pod, PodStatus } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { onceOutcome, oncePod } from './once-pod.js';

const pod: Pod = {
  metadata: { name: 'job', namespace: 'default' },
  spec: {
    initContainers: [{ name: 'init' }, { name: 'side', restartPolicy: 'Always' }],
    containers: [{ name: 'a' }, { name: 'b' }],
  },
};
const exited = (exitCode: number, signal?: number): ContainerState => ({ terminated: { exitCode, ...(signal && { signal }) } });
const running: ContainerState = { running: {} };
const waits = (reason: string, message?: string): ContainerState => ({ waiting: { reason, ...(message && { message }) } });

function status(phase: NonNullable<PodStatus['phase']>, states: Record<string, ContainerState>, more: PodStatus = {}): PodStatus {
  const of = (names: string[]) =>
    names.flatMap((name) => {
      const state = states[name];
      return state === undefined ? [] : [{ name, state, ready: false, restartCount: 0, image: '', imageID: '' }];
    });
  return { phase, initContainerStatuses: of(['init', 'side']), containerStatuses: of(['a', 'b']), ...more };
}

describe('the outcome', () => {
  it.each<[string, PodStatus, unknown]>([
    ['none while a container runs', status('Running', { init: exited(0), a: exited(1), b: running }), undefined],
    ['none before the start', status('Pending', { a: waits('ContainerCreating') }), undefined],
    ['none in a back-off of OnFailure', status('Running', { a: waits('CrashLoopBackOff') }), undefined],
    ['none while a failed pod is being stopped', status('Failed', { a: running }, { reason: 'DeadlineExceeded' }), undefined],
    ['0 for a success', status('Succeeded', { init: exited(0), a: exited(0), b: exited(0) }), { exitCode: 0 }],
    ['the first code but 0', status('Failed', { init: exited(0), a: exited(0), b: exited(7) }), { exitCode: 7 }],
    ['that of an init container', status('Failed', { init: exited(4), a: waits('PodInitializing') }), { exitCode: 4 }],
    ['not that of a sidecar', status('Succeeded', { side: exited(137), a: exited(0), b: exited(0) }), { exitCode: 0 }],
    ['128 and the signal', status('Failed', { a: exited(0, 9) }), { exitCode: 137 }],
    [
      'with the reason of the pod',
      status('Failed', { a: exited(137) }, { reason: 'DeadlineExceeded', message: 'too long' }),
      { exitCode: 137, reason: 'DeadlineExceeded: too long' },
    ],
    [
      '125 for a pod that is rejected',
      status('Failed', {}, { reason: 'OutOfcpu', message: 'no CPUs' }),
      { exitCode: 125, reason: 'OutOfcpu: no CPUs' },
    ],
    [
      '125 for an image that cannot be pulled',
      status('Pending', { a: waits('ErrImagePull', 'not found'), b: waits('ContainerCreating') }),
      { exitCode: 125, reason: 'container a: ErrImagePull: not found' },
    ],
  ])('is %s', (_, given, outcome) => {
    expect(onceOutcome({ pod, status: given })).toEqual(outcome);
  });
});

it.each([
  [undefined, 'Never'],
  ['Always', 'Never'],
  ['OnFailure', 'OnFailure'],
  ['Never', 'Never'],
] as const)('runs a pod of the policy %s once: %s', (restartPolicy, once) => {
  expect(oncePod({ spec: { containers: [], ...(restartPolicy && { restartPolicy }) } }).spec?.restartPolicy).toBe(once);
});
