import type { ContainerStatus, Pod, PodStatus } from '@nodeagent/api';
import { buildPod, type PodInput } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { podColumns, podStatusText } from './pod-columns.js';

const now = Date.parse('2026-01-01T01:00:00Z');

const cells = (pod: Pod) => Object.values(podColumns(pod, now));

function shown(status: PodStatus, input: Partial<PodInput> = {}): string {
  return cells(buildPod({ name: 'p', status, ...input }))
    .slice(1, 4)
    .join(' | ');
}

const running: ContainerStatus['state'] = { running: { startedAt: '2026-01-01T00:00:00Z' } };
const container = (state: ContainerStatus['state'], more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: 'main',
  image: 'i',
  imageID: '',
  ready: state === running,
  restartCount: 0,
  state,
  ...more,
});
const ended = (exitCode: number, reason?: string): ContainerStatus['state'] => ({ terminated: { exitCode, ...(reason && { reason }) } });

describe('the STATUS column', () => {
  it.each<[string, PodStatus]>([
    ['0/1 | Pending | 0', { phase: 'Pending' }],
    ['0/1 | SchedulingGated | 0', { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }],
    ['0/1 | ContainerCreating | 0', { phase: 'Pending', containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })] }],
    ['1/1 | Running | 0', { phase: 'Running', containerStatuses: [container(running)] }],
    ['0/1 | Completed | 0', { phase: 'Succeeded', containerStatuses: [container(ended(0, 'Completed'))] }],
    ['0/1 | Error | 0', { phase: 'Failed', containerStatuses: [container(ended(1, 'Error'))] }],
    ['0/1 | ExitCode:3 | 0', { phase: 'Failed', containerStatuses: [container(ended(3))] }],
    ['0/1 | Signal:9 | 0', { phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 137, signal: 9 } })] }],
    ['0/1 | Evicted | 0', { phase: 'Failed', reason: 'Evicted' }],
  ])('%s', (expected, status) => {
    expect(shown(status)).toBe(expected);
  });

  it('shows a crash loop and the last restart', () => {
    const lastState = { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:55:00Z' } };
    const status = container({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 3, lastState });
    expect(shown({ phase: 'Running', containerStatuses: [status] })).toBe('0/1 | CrashLoopBackOff | 3 (5m ago)');
  });

  it('shows Running while one container runs, ready or not', () => {
    const containers = ['a:1', 'b:1'];
    const containerStatuses = [container(ended(0, 'Completed')), container(running, { name: 'c2' })];
    expect(shown({ phase: 'Running', containerStatuses }, { containers })).toBe('1/2 | NotReady | 0');
    const conditions = [{ type: 'Ready', status: 'True' }];
    expect(shown({ phase: 'Running', containerStatuses, conditions }, { containers })).toBe('1/2 | Running | 0');
  });

  it('shows the reason of a failed container beside one that has completed, unless the pod is ready', () => {
    const containers = ['a:1', 'b:1', 'c:1'];
    const terminated = [container(ended(0, 'Completed')), container(ended(137, 'OOMKilled'))];
    expect(shown({ phase: 'Running', containerStatuses: terminated }, { containers })).toBe('0/3 | OOMKilled | 0');
    const containerStatuses = [...terminated, container(running, { name: 'c3' })];
    expect(shown({ phase: 'Running', containerStatuses }, { containers })).toBe('1/3 | OOMKilled | 0');
    const conditions = [{ type: 'Ready', status: 'True' }];
    expect(shown({ phase: 'Running', containerStatuses, conditions }, { containers })).toBe('1/3 | Running | 0');
  });

  it('shows the text of a status that is newer than the pod', () => {
    const pod = buildPod({ name: 'p', status: { phase: 'Pending' } });
    const waiting = container({ waiting: { reason: 'CrashLoopBackOff' } });
    expect(podStatusText(pod, { phase: 'Running', containerStatuses: [waiting] })).toBe('CrashLoopBackOff');
    expect(podStatusText(pod)).toBe('Pending');
  });

  it('shows Terminating, unless the pod has terminated or its node is lost', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:59:00Z' };
    expect(shown({ phase: 'Running' }, { metadata })).toBe('0/1 | Terminating | 0');
    expect(shown({ phase: 'Succeeded' }, { metadata })).toBe('0/1 | Succeeded | 0');
    expect(shown({ phase: 'Running', reason: 'NodeLost' }, { metadata })).toBe('0/1 | Unknown | 0');
  });

  it.each<[string, ContainerStatus['state']]>([
    ['Init:1/3', running],
    ['Init:1/3', { waiting: { reason: 'PodInitializing' } }],
    ['Init:CrashLoopBackOff', { waiting: { reason: 'CrashLoopBackOff' } }],
    ['Init:Error', ended(1, 'Error')],
    ['Init:ExitCode:2', ended(2)],
  ])('shows init containers: %s', (expected, state) => {
    const initContainerStatuses = [
      container(ended(0), { name: 'init1' }),
      container(state, { name: 'init2', ready: false, restartCount: 2 }),
      container({ waiting: { reason: 'PodInitializing' } }, { name: 'init3' }),
    ];
    const input = { initContainers: ['a', 'b', 'c'] };
    expect(shown({ phase: 'Pending', initContainerStatuses }, input)).toBe(`0/1 | ${expected} | 2`);
  });

  it('counts sidecars as containers', () => {
    const initContainers = [{ name: 'proxy', image: 'p', restartPolicy: 'Always' }];
    const initContainerStatuses = [container(running, { name: 'proxy', started: true, restartCount: 1 })];
    const status = { phase: 'Running', initContainerStatuses, containerStatuses: [container(running, { restartCount: 1 })] };
    expect(shown(status, { initContainers })).toBe('2/2 | Running | 2');
  });
});

it('shows the age, and IP and node with -o wide', () => {
  const readinessGates = [{ conditionType: 'x/a' }, { conditionType: 'x/b' }];
  const conditions = [{ type: 'x/a', status: 'True' }];
  const pod = buildPod({
    name: 'p',
    nodeName: 'node',
    readinessGates,
    status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }], conditions },
  });
  expect(cells(pod).slice(4)).toEqual(['60m', '10.0.0.1', 'node', '<none>', '1/2']);
  expect(cells({ metadata: {}, spec: { containers: [] } }).slice(4)).toEqual(['<unknown>', '<none>', '<none>', '<none>', '<none>']);
});

it('prefers the podIP that an old node sets', () => {
  const status = { podIP: '10.0.0.2', podIPs: [{ ip: '10.0.0.1' }] };
  expect(podColumns(buildPod({ name: 'p', status }), now).ip).toBe('10.0.0.2');
});

it('treats missing fields and the zero time as a kubectl does', () => {
  const pod = JSON.parse(`{
    "metadata": { "name": "p", "creationTimestamp": "0001-01-01T00:00:00Z" },
    "spec": { "containers": [{}], "initContainers": null, "readinessGates": null },
    "status": {
      "phase": "Running",
      "conditions": null,
      "initContainerStatuses": [{ "name": "i", "state": { "terminated": {} } }],
      "containerStatuses": [
        { "name": "a", "restartCount": 2, "state": null, "lastState": { "terminated": { "finishedAt": "0001-01-01T00:00:00Z" } } },
        { "name": "b", "state": { "waiting": {} }, "lastState": {} },
        { "name": "c", "state": { "terminated": {} } }
      ]
    }
  }`);
  expect(cells(pod)).toEqual(['p', '0/1', 'ExitCode:0', '2', '<unknown>', '<none>', '<none>', '<none>', '<none>']);
});
