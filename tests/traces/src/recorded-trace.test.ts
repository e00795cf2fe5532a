import type { RecordedCriCall } from '@nodeagent/cri-client';
import type { AuditEvent } from '@nodeagent/test-api-server';
import { describe, expect, it } from 'vitest';
import { recordedTrace, recordingOf, withoutMachine } from './recorded-trace.js';
import { endOf, startsIn } from './restart-real.js';
import type { Trace } from './trace.js';

let seconds = 0;
const call = (method: string, request: unknown, more: Partial<RecordedCriCall> = {}): RecordedCriCall => ({
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds++)).toISOString(),
  milliseconds: 1,
  service: 'RuntimeService',
  method,
  request,
  ...more,
});
const audited = (namespace: string, resource: string, more: Partial<AuditEvent> & { subresource?: string } = {}) =>
  ({
    user: { username: 'system:node:node1' },
    objectRef: { namespace, resource, ...(more.subresource && { subresource: more.subresource }) },
    ...more,
  }) as AuditEvent;

const sandbox = (namespace: string, id: string) =>
  call('RunPodSandbox', { config: { metadata: { name: 'p', namespace, uid: 'u-1' } } }, { response: { podSandboxId: id } });
const status = { phase: 'Running' };

describe('a recording', () => {
  it('is split by namespaces: by names in calls, and by ids from earlier calls', () => {
    const recording = {
      calls: [
        sandbox('mine', 's1'),
        sandbox('other', 's2'),
        call('CreateContainer', { podSandboxId: 's1' }, { response: { containerId: 'c1' } }),
        call('CreateContainer', { podSandboxId: 's2' }, { response: { containerId: 'c2' } }),
        call('StartContainer', { containerId: 'c2' }),
        call('StartContainer', { containerId: 'c1' }),
        call('ListContainers', {}),
      ],
      audit: [audited('mine', 'events'), audited('other', 'events'), audited('mine', 'pods', { user: { username: 'jane' } })],
    };
    const mine = recordingOf(recording, 'mine');
    expect(mine.calls.map(({ method, request }) => `${method} ${JSON.stringify(request)}`)).toEqual([
      expect.stringContaining('"namespace":"mine"'),
      'CreateContainer {"podSandboxId":"s1"}',
      'StartContainer {"containerId":"c1"}',
    ]);
    expect(mine.audit).toHaveLength(1);
  });

  it('is in the order of the starts of calls', () => {
    const first = sandbox('mine', 's1');
    const second = call('StopPodSandbox', { podSandboxId: 's1' });
    expect(recordingOf({ calls: [second, first], audit: [] }, 'mine').calls).toEqual([first, second]);
  });

  it.each([
    'container is in CONTAINER_EXITED state',
    'failed to exec in container: failed to create exec "e1": cannot exec in a deleted state',
    'failed to exec in container: failed to create exec "e1": container not created: not found',
  ])('counts a probe and omits its event if its container ended meanwhile: %s', (message) => {
    const { calls, cutShort, events } = recordedTrace(
      {
        calls: [sandbox('mine', 's1'), call('ExecSync', { containerId: 'c1' }, { error: { code: 'CRI_UNKNOWN', message } })],
        audit: [
          audited('mine', 'events', {
            requestObject: { type: 'Warning', reason: 'Unhealthy', message: `Readiness probe errored: ${message}` },
          }),
        ],
      },
      [],
    );
    expect({ calls: calls.length, cutShort, events }).toEqual({ calls: 1, cutShort: 1, events: [] });
  });

  it.each([
    ['after', { startsAt: 1_500, stop: 1_000 }, 1],
    ['during', { startsAt: 400, stop: 800 }, 1],
    ['before', { startsAt: 400, stop: 2_000 }, 0],
  ])('counts a probe that fails %s the stop of its container as cut short', (_, { startsAt, stop }, cutShort) => {
    const time = (ms: number) => ({ at: new Date(Date.UTC(2027, 0, 1) + ms).toISOString() });
    const error = { code: 'CRI_UNKNOWN', message: 'the shim has exited' };
    const stopped = call('StopContainer', { containerId: 'c1' }, time(stop));
    const probe = call('ExecSync', { containerId: 'c1' }, { ...time(startsAt), milliseconds: 500, error });
    const requestObject = { type: 'Warning', reason: 'Unhealthy', message: 'Readiness probe errored: the shim has exited' };
    const trace = recordedTrace(
      { calls: [sandbox('mine', 's1'), stopped, probe], audit: [audited('mine', 'events', { requestObject })] },
      [],
    );
    expect(trace.calls.filter((each) => each.call === 'execSync')).toHaveLength(1 - cutShort);
    expect(trace.events).toHaveLength(1 - cutShort);
  });

  it('becomes a trace in the form of a reference', () => {
    const envs = [{ key: 'A', value: Buffer.from('b').toString('base64') }];
    const trace = recordedTrace(
      {
        calls: [
          sandbox('mine', 's1'),
          call('PodSandboxStatus', { podSandboxId: 's1' }),
          call('CreateContainer', { podSandboxId: 's1', config: { envs } }, { response: { containerId: 'c1' } }),
          call('StartContainer', { containerId: 'c1' }, { error: { code: 'CRI_UNKNOWN', message: 'no' } }),
          call('ExecSync', { containerId: 'c1' }, { error: { code: 'CRI_UNKNOWN', message: 'container is in CONTAINER_EXITED state' } }),
          call('ExecSync', { containerId: 'c1' }, { error: { code: 'CRI_CANCELLED', message: 'context canceled' } }),
        ],
        audit: [
          audited('mine', 'pods', { subresource: 'status', responseObject: { status } }),
          audited('mine', 'pods', { subresource: 'status', responseObject: { status } }),
          audited('mine', 'events', {
            requestObject: { type: 'Normal', reason: 'Started', message: 'm', involvedObject: { fieldPath: 'spec.containers{c}' } },
          }),
          audited('mine', 'events', { requestObject: { count: 2, message: 'm' } }),
        ],
      },
      [['mine', '<namespace>']],
    );
    expect(trace).toEqual({
      calls: [
        { call: 'runPodSandbox', request: { config: { metadata: { name: 'p', namespace: '<namespace>', uid: '<uid>' } } } },
        { call: 'createContainer', request: { config: { envs: [{ key: 'A', value: 'b' }] }, podSandboxId: '<sandbox1>' } },
        { call: 'startContainer', request: { containerId: '<container1>' }, fails: true },
      ],
      removals: { early: [], late: [], kept: ['<container1>'] },
      cutShort: 2,
      events: ['Normal Started spec.containers{c}: m'],
      status: ['Running  0; resources {} {}'],
      writes: { status: 2, events: 2 },
    });
  });
});

it("omits exactly what depends on a machine's size", () => {
  const resources = (oomScoreAdj: string, pageSize: string) => ({ oomScoreAdj, hugepageLimits: [{ pageSize }] });
  const trace = (score: string, pageSize: string, timeout: string, capacity: number): Trace => ({
    calls: [
      { call: 'createContainer', request: { resources: resources(score, pageSize) } },
      { call: 'stopContainer', request: { containerId: 'c', timeout } },
    ],
    removals: { early: [], late: [], kept: [] },
    cutShort: 0,
    events: [`requested: 100000, used: 0, capacity: ${capacity}`],
    status: [],
    writes: { status: 0, events: 0 },
  });
  const plain = withoutMachine(trace('998', '2MB', '5', 2000));
  expect(withoutMachine(trace('997', '1GB', '5', 8000))).toEqual(plain);
  expect(withoutMachine(trace('1000', '2MB', '5', 2000))).not.toEqual(plain);
  expect(withoutMachine(trace('998', '2MB', '4', 2000))).not.toEqual(plain);
});

describe('after a kill', () => {
  it('a pod terminates as in the undisturbed run, whatever the attempts of its containers', () => {
    expect(
      endOf(
        'Succeeded BestEffort 3; Ready=False(PodCompleted) 2; c terminated(Completed)=0, i:1, restarts 1, was waiting; resources {} {}',
      ),
    ).toBe('Succeeded BestEffort; c terminated(Completed)=0, i:1');
  });

  it('starts are counted by names, without failed ones', () => {
    const create = (name: string) => ({ call: 'createContainer', request: { config: { metadata: { name } } } });
    const start = (id: number) => ({ call: 'startContainer', request: { containerId: `<container${id}>` } });
    const calls = [
      { call: 'runPodSandbox', request: {} },
      create('a'),
      create('b'),
      start(2),
      { ...start(1), fails: true as const },
      create('a'),
      start(3),
    ];
    expect(startsIn(calls)).toBe('a, b, the sandbox');
  });
});
