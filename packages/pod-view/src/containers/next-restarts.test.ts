import type { ContainerState, ContainerStatus, Pod } from '@nodeagent/api';
import { crashLoopResetMs, createBackoff } from '@nodeagent/api/helpers';
import { buildPod, type PodInput } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { type NextRestartsOptions, nextRestarts } from './next-restarts.js';

const now = Date.parse('2026-01-01T01:00:00Z');
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();

const waiting = (reason: string, message?: string): ContainerState => ({ waiting: { reason, ...(message && { message }) } });
const exited = (exitCode: number, { ago = 5, ran = 1 } = {}): ContainerState => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: at(-ago - ran), finishedAt: at(-ago) },
});

/** A pod with one container that has restarted this many times. */
function pod(restartCount: number, state: ContainerState, lastState?: ContainerState, input: Partial<PodInput> = {}): Pod {
  const status: ContainerStatus = {
    name: 'main',
    image: 'i',
    imageID: '',
    ready: false,
    restartCount,
    state,
    ...(lastState && { lastState }),
  };
  return buildPod({ name: 'p', status: { phase: 'Running', containerStatuses: [status] }, ...input });
}

const restart = (of: Pod, options?: NextRestartsOptions) => nextRestarts(of, now, options)[0];

describe('a crash loop', () => {
  const message = 'back-off 2m40s restarting failed container=main pod=p_default(u)';

  it('has the delay of the message', () => {
    expect(restart(pod(9, waiting('CrashLoopBackOff', message), exited(1)))).toEqual({
      container: 'main',
      kind: 'container',
      state: 'backOff',
      reason: 'CrashLoopBackOff',
      backOffMs: 160_000,
      isExact: true,
      at: now - 5_000 + 160_000,
    });
  });

  it.each([
    [1, 10],
    [2, 20],
    [3, 40],
    [4, 80],
    [5, 160],
    [6, 300],
    [50, 300],
  ])('has a delay by the number of restarts: %i give %i s', (restartCount, seconds) => {
    const found = restart(pod(restartCount, waiting('CrashLoopBackOff'), exited(1)));
    expect(found).toMatchObject({ backOffMs: seconds * 1000, isExact: false, at: now - 5_000 + seconds * 1000 });
  });

  it('has the same delays as the back-off of an agent', () => {
    const backoff = createBackoff({ expiryMs: crashLoopResetMs });
    let time = now;
    for (let restarts = 1; restarts <= 8; restarts++) {
      backoff.next('main', time, time);
      expect(restart(pod(restarts, waiting('CrashLoopBackOff'), exited(1)))?.backOffMs).toBe(backoff.get('main'));
      time += backoff.get('main') + 1_000;
    }
  });

  it('has at most the maximum of the node', () => {
    expect(restart(pod(9, exited(1)), { maxBackOffMs: 60_000 })?.backOffMs).toBe(60_000);
    expect(restart(pod(1, exited(1)), { maxBackOffMs: 1_000 })?.backOffMs).toBe(1_000);
  });

  it('has no end if the status has no time', () => {
    const found = restart(pod(1, waiting('CrashLoopBackOff')));
    expect(found).not.toHaveProperty('at');
    expect(found).toMatchObject({ backOffMs: 10_000, unknown: 'the status has no time of the last exit' });
  });
});

describe('a container that has just exited', () => {
  it('restarts at once the first time, and after a run of more than ten minutes', () => {
    expect(restart(pod(0, exited(1)))).toMatchObject({ state: 'backOff', backOffMs: 0, isExact: true, at: now - 5_000 });
    expect(restart(pod(7, exited(1, { ran: 601 })))).toMatchObject({ backOffMs: 0 });
    expect(restart(pod(7, exited(1, { ran: 600 })))).toMatchObject({ backOffMs: 300_000 });
  });

  it.each<[string, number, 'backOff' | 'ended']>([
    ['Always', 0, 'backOff'],
    ['Always', 1, 'backOff'],
    ['OnFailure', 0, 'ended'],
    ['OnFailure', 1, 'backOff'],
    ['Never', 1, 'ended'],
  ])('follows the restart policy %s for exit code %i: %s', (restartPolicy, exitCode, state) => {
    expect(restart(pod(0, exited(exitCode), undefined, { restartPolicy }))?.state).toBe(state);
  });

  it('follows the rules of the container', () => {
    const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }];
    const input = { restartPolicy: 'Never', containers: [{ restartPolicy: 'Never', restartPolicyRules }] };
    expect(restart(pod(0, exited(42), undefined, input))?.state).toBe('backOff');
    expect(restart(pod(0, exited(1), undefined, input))).toMatchObject({ state: 'ended', reason: 'exited with 1 (Error)' });
  });

  it.each([{ status: { phase: 'Failed' } }, { metadata: { deletionTimestamp: at(10) } }])('ends with its pod: %j', (input) => {
    const { status, ...rest } = pod(1, exited(1));
    expect(restart({ ...rest, ...input, status: { ...status, ...(input.status ?? {}) } })?.state).toBe('ended');
  });
});

it('distinguishes init containers from sidecars', () => {
  const initContainers = [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }];
  const initContainerStatuses = ['setup', 'proxy'].map((name) => ({
    ...{ name, image: 'i', imageID: '', ready: false, restartCount: 0 },
    state: exited(0),
  }));
  const of = buildPod({ name: 'p', restartPolicy: 'Never', initContainers, status: { phase: 'Pending', initContainerStatuses } });
  expect(nextRestarts(of, now).map(({ container, kind, state }) => [container, kind, state])).toEqual([
    ['setup', 'init', 'ended'],
    ['proxy', 'sidecar', 'backOff'],
    ['main', 'container', 'waiting'],
  ]);
});

describe('a running container', () => {
  const running = (seconds: number): ContainerState => ({ running: { startedAt: at(-seconds) } });

  it('has the delay after its next exit, until it has run for ten minutes', () => {
    expect(restart(pod(3, running(60)))).toMatchObject({ state: 'running', backOffMs: 40_000, resetsAt: now + 540_000 });
    expect(restart(pod(3, running(601)))).toEqual({
      container: 'main',
      kind: 'container',
      state: 'running',
      reason: '',
      backOffMs: 0,
      isExact: true,
    });
    expect(restart(pod(0, running(60)))?.backOffMs).toBe(0);
  });
});

describe('an image pull', () => {
  const of = pod(0, waiting('ImagePullBackOff'));

  it('has the end that the agent of the node knows', () => {
    const found = restart(of, { backOffs: [{ container: 'main', until: now + 7_000 }] });
    expect(found).toEqual({ container: 'main', kind: 'container', state: 'imagePull', reason: 'ImagePullBackOff', at: now + 7_000 });
  });

  it('has no end by the status alone', () => {
    expect(restart(of)).toMatchObject({ state: 'imagePull', unknown: 'a status does not have the time of the last pull' });
  });

  it('has the end of its back-off by the events', () => {
    const message = 'Failed to pull image "busybox:1": not found';
    const involvedObject = { kind: 'Pod', name: 'p', fieldPath: 'spec.containers{main}' };
    const events = [{ reason: 'Failed', message, count: 3, lastTimestamp: at(-15), involvedObject }];
    expect(restart(of, { events })).toMatchObject({ backOffMs: 40_000, isExact: false, at: now + 25_000 });
    const ofOther = events.map((event) => ({ ...event, involvedObject: { ...involvedObject, name: 'other' } }));
    expect(restart(of, { events: ofOther })).not.toHaveProperty('at');
  });
});
