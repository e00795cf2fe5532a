import type { ContainerStatus, Pod, PodStatus } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { buildPod } from './build-pod.js';
import { describePod, podMatchers } from './pod-matchers.js';

const container = (name: string, state: ContainerStatus['state'], restartCount = 0): ContainerStatus => ({
  name,
  image: 'app:1',
  imageID: '',
  ready: state?.running !== undefined,
  restartCount,
  ...(state && { state }),
});
const web = (status: PodStatus): Pod => buildPod({ name: 'web', nodeName: 'node-1', status });
const runs = { running: {} };
const ended = (exitCode: number, reason: string) => ({ terminated: { exitCode, reason } });

it('treats a pod as running if all its containers run, whatever the state of its init containers', () => {
  const init = [container('init', ended(0, 'Completed'), 2)];
  const pod = web({ phase: 'Running', initContainerStatuses: init, containerStatuses: [container('main', runs, 1)] });
  expect(podMatchers.toBeRunning(pod).pass).toBe(true);
  expect(podMatchers.toHaveRestarted(pod, 3).pass).toBe(true);
  expect(podMatchers.toHaveRestarted(pod).pass).toBe(true);
  expect(podMatchers.toHaveRestarted(pod, 2).pass).toBe(false);
  expect(podMatchers.toBeRunning(web({ phase: 'Running' })).pass).toBe(false);
  expect(podMatchers.toBeRunning(pod).message()).toBe(
    'expected web not to be running, but it is Running on node-1: init has ended (Completed, 0), 2 restarts; main runs, 1 restarts',
  );
});

it('describes the pod in a failure', () => {
  const waiting = web({ containerStatuses: [container('main', { waiting: { reason: 'ImagePullBackOff' } })] });
  expect(podMatchers.toBeReady(waiting)).toMatchObject({ pass: false });
  expect(podMatchers.toBeReady(waiting).message()).toBe(
    'expected web to be ready, but it is Pending on node-1: main waits (ImagePullBackOff), 0 restarts',
  );
  const evicted = web({ phase: 'Failed', reason: 'Evicted', message: 'low on memory' });
  expect(podMatchers.toHaveFailed(evicted, 'Evicted').pass).toBe(true);
  expect(podMatchers.toHaveFailed(evicted).pass).toBe(true);
  expect(podMatchers.toHaveFailed(evicted, 'DeadlineExceeded').message()).toBe(
    'expected web to have failed with DeadlineExceeded, but it is Failed on node-1 (Evicted, low on memory)',
  );
  const unscheduled = { type: 'PodScheduled', status: 'False' as const, message: '0/1 nodes are available' };
  expect(podMatchers.toBeRunning(buildPod({ name: 'web', status: { conditions: [unscheduled] } })).message()).toBe(
    'expected web to be running, but it is Pending (0/1 nodes are available)',
  );
  expect(podMatchers.toHaveRestarted(undefined, 3).message()).toBe(
    'expected the pod to have restarted 3 times, but the pod does not exist',
  );
});

it('adds the reason and what happens next, given the time', () => {
  const terminated = { exitCode: 1, reason: 'Error', finishedAt: '2026-01-01T00:00:00Z' };
  const crashing = container('main', { waiting: { reason: 'CrashLoopBackOff' } }, 2);
  const pod = web({ phase: 'Running', containerStatuses: [{ ...crashing, lastState: { terminated } }] });
  expect(describePod(pod, Date.parse('2026-01-01T00:00:05Z'))).toBe(
    `${describePod(pod)}. Container main exited with 1 (Error) 5s ago after 2 restarts; its back-off of about 20s ends in 15s, at 2026-01-01T00:00:20Z, and the next sync restarts it.`,
  );
});
