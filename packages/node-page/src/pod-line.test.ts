import { describe, expect, it } from 'vitest';
import type { PagePod, PagePodExplanation } from './options.js';
import { podLine } from './pod-line.js';
import { containerStatus, runningPod, TestPageAgent } from './test-agent.js';

const now = Date.UTC(2026, 0, 1, 1);

function lineOf(view: PagePod, prepare: (agent: TestPageAgent) => void = () => {}) {
  const agent = new TestPageAgent();
  prepare(agent);
  return podLine(view, agent, now);
}
const explained = (explanation: Partial<PagePodExplanation>) => (agent: TestPageAgent) =>
  void agent.explanations.set('web', { backOffs: [], ...explanation });
const main = (more: Parameters<typeof containerStatus>[0]) => ({ containerStatuses: [containerStatus(more)] });
const ended = { terminated: { exitCode: 1, reason: 'Error', finishedAt: '2026-01-01T00:59:00Z' } };
const probe = { tcpSocket: { port: 80 }, periodSeconds: 5 };

describe('the health of a pod', () => {
  it.each<[string, PagePod, (agent: TestPageAgent) => void, object]>([
    ['runs', runningPod('web'), () => {}, { level: 'ok', state: 'running', text: '' }],
    ['completed', runningPod('web', { phase: 'Succeeded' }), () => {}, { level: 'done', state: 'completed', text: '' }],
    [
      'was evicted',
      runningPod('web', { phase: 'Failed', reason: 'Evicted', message: 'low on memory' }),
      () => {},
      { level: 'bad', state: 'failed', text: 'Evicted: low on memory' },
    ],
    [
      'failed by its container',
      runningPod('web', { phase: 'Failed', ...main({ state: ended }) }),
      () => {},
      { text: 'main exited with 1 (Error)' },
    ],
    [
      'waits out a back-off',
      runningPod('web', main({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended, restartCount: 3 })),
      explained({ backOffs: [{ container: 'main', reason: 'CrashLoopBackOff', until: 7 }], nextRetryAt: 5 }),
      { level: 'bad', state: 'failing', text: 'main: CrashLoopBackOff, exited with 1 (Error) before', until: 7 },
    ],
    [
      'was killed by a signal',
      runningPod('web', main({ state: { terminated: { exitCode: 139, signal: 11 } } })),
      () => {},
      { level: 'bad', text: 'main: killed by signal 11' },
    ],
    [
      'cannot be synced',
      runningPod('web'),
      explained({ lastSync: { startedAt: 1, error: 'no network' }, nextRetryAt: 9 }),
      { level: 'bad', text: 'no network', until: 9 },
    ],
    [
      'is terminating',
      { ...runningPod('web'), state: 'TerminatingPod' },
      explained({ terminationCause: 'deleted' }),
      { level: 'ending', text: 'it was deleted' },
    ],
    [
      'cannot terminate',
      { ...runningPod('web'), state: 'TerminatingPod' },
      explained({ lastSync: { startedAt: 1, error: 'the runtime hangs' } }),
      { level: 'bad', state: 'stuck', text: 'cannot terminate: the runtime hangs' },
    ],
    [
      'was deleted but is not terminating yet',
      runningPod('web', {}, { metadata: { deletionTimestamp: 'x' } }),
      () => {},
      { level: 'ending', text: '' },
    ],
    [
      'fails its readiness probe',
      runningPod('web', main({ ready: false, state: { running: {} } }), { containers: [{ name: 'main', readinessProbe: probe }] }),
      () => {},
      { level: 'warn', state: 'not ready', text: 'main: its readiness probe fails' },
    ],
    [
      'starts',
      runningPod('web', main({ started: false, ready: false, state: { running: {} } })),
      () => {},
      { level: 'busy', state: 'starting', text: 'main is starting: its startup probe has not succeeded' },
    ],
    [
      'is being created',
      runningPod('web', main({ state: { waiting: { reason: 'ContainerCreating' } } })),
      () => {},
      { text: 'main: ContainerCreating' },
    ],
    [
      'has no containers yet',
      runningPod('web', { phase: 'Pending', containerStatuses: [] }),
      () => {},
      { level: 'busy', text: 'main: not created yet' },
    ],
    [
      'pulls its image',
      runningPod('web', { phase: 'Pending', containerStatuses: [] }),
      (agent) => agent.inPull.push({ image: 'nginx:1', podUid: 'web', state: 'pulling', since: 1 }),
      { level: 'busy', text: 'pulling image nginx:1' },
    ],
    [
      'waits in the pull queue',
      runningPod('web', { phase: 'Pending', containerStatuses: [] }),
      (agent) => agent.inPull.push({ image: 'nginx:1', podUid: 'web', state: 'waiting', since: 1 }),
      { text: 'image pull queued: nginx:1' },
    ],
    [
      'waits for a readiness gate',
      runningPod('web', {
        ...main({ state: { running: {} } }),
        conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: 'lb is not there' }],
      }),
      () => {},
      { level: 'warn', text: 'lb is not there' },
    ],
    [
      'was restarted minutes ago',
      runningPod(
        'web',
        main({
          state: { running: { startedAt: '2026-01-01T00:57:00Z' } },
          lastState: { terminated: { ...ended.terminated, finishedAt: '2026-01-01T00:56:30Z' } },
          restartCount: 1,
        }),
      ),
      () => {},
      { level: 'warn', state: 'restarted', text: 'main: exited with 1 (Error) 3 min ago' },
    ],
    [
      'was restarted long ago',
      runningPod('web', main({ state: { running: { startedAt: '2026-01-01T00:49:00Z' } }, lastState: ended, restartCount: 1 })),
      () => {},
      { level: 'ok' },
    ],
  ])('that %s', (_, view, prepare, health) => {
    expect(lineOf(view, prepare).health).toMatchObject(health);
  });
});

it.each<[string, PagePod]>([
  ['Running', runningPod('web', main({ state: { running: {} } }))],
  ['CrashLoopBackOff', runningPod('web', main({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended }))],
  ['Init:0/1', runningPod('web', { initContainerStatuses: [containerStatus({ state: { running: {} } })] }, { initContainers: ['a'] })],
  ['Terminating', { ...runningPod('web'), state: 'TerminatingPod' }],
])('has the status of kubectl: %s', (status, view) => {
  expect(lineOf(view).status).toBe(status);
});

it('has the CPUs, memory and devices of each container', () => {
  const view = runningPod('web', main({ state: { running: {} } }), { containers: [{ name: 'main' }, { name: 'log' }] });
  const line = lineOf(view, (agent) => {
    agent.assignments = [{ containerName: 'main', cpus: '2-3', memoryNumaNodes: [0, 1], devices: { 'example.com/gpu': ['gpu0', 'gpu1'] } }];
  });
  expect(line.containers.map(({ assigned }) => assigned)).toEqual([
    ['CPUs 2-3', 'memory of NUMA nodes 0, 1', 'gpu0, gpu1 (example.com/gpu)'],
    [],
  ]);
});

it('names the health of a device that is not healthy', () => {
  const allocatedResourcesStatus = [
    { name: 'example.com/nic', resources: [{ resourceID: 'gpu0', health: 'Unhealthy' }] },
    {
      name: 'example.com/gpu',
      resources: [
        { resourceID: 'gpu0', health: 'Healthy' },
        { resourceID: 'gpu1', health: 'Unhealthy' },
      ],
    },
  ];
  const line = lineOf(runningPod('web', main({ allocatedResourcesStatus })), (agent) => {
    agent.assignments = [{ containerName: 'main', devices: { 'example.com/gpu': ['gpu0', 'gpu1'] } }];
  });
  expect(line.containers[0]?.assigned).toEqual(['gpu0, gpu1 unhealthy (example.com/gpu)']);
});

it('has the containers in start order, with their probes and previous terminations', () => {
  const view = runningPod(
    'web',
    {
      podIP: '192.0.2.7',
      startTime: '2026-01-01T00:00:00Z',
      initContainerStatuses: [containerStatus({ name: 'migrate', state: { terminated: { exitCode: 0, reason: 'Completed' } } })],
      ...main({ state: { running: {} }, lastState: ended, restartCount: 2 }),
    },
    {
      containers: [
        { name: 'main', image: 'nginx:1', livenessProbe: { exec: { command: ['check', '--token', 'hush'] } }, readinessProbe: probe },
      ],
      initContainers: [
        { name: 'migrate', image: 'migrate:1' },
        {
          name: 'proxy',
          image: 'proxy:1',
          restartPolicy: 'Always',
          startupProbe: { httpGet: { port: 'web', path: '/?key=hush', scheme: 'HTTPS' } },
        },
      ],
      ephemeralContainers: [{ name: 'debug', readinessProbe: { grpc: { port: 9 } } }],
    },
  );
  const line = lineOf(view, (agent) => {
    agent.results.set('readiness c1', 'Failure').set('liveness c1', 'Success');
    agent.explanations.set('web', {
      backOffs: [],
      lastSync: { startedAt: 3, endedAt: 4, error: 'no' },
      lastChange: { startedAt: 1, endedAt: 2, reasons: [{ action: 'start', target: 'main', reason: 'it exited' }] },
      nextRetryAt: 5,
    });
  });
  expect(line).toMatchObject({
    namespace: 'default',
    isStatic: false,
    ready: [1, 2],
    restarts: 2,
    ip: '192.0.2.7',
    startedAt: Date.UTC(2026, 0, 1),
    worker: { lastSyncAt: 4, lastError: 'no', lastChange: { at: 2, text: 'start main (it exited)' }, nextSyncAt: 5 },
  });
  expect(line.containers).toMatchObject([
    { name: 'migrate', kind: 'init', level: 'done', state: 'exited with 0' },
    { name: 'proxy', kind: 'sidecar', state: 'not created yet', probes: [{ type: 'startup', how: 'HTTPS GET :web every 10 s' }] },
    {
      name: 'main',
      kind: 'container',
      restarts: 2,
      last: { text: 'exited with 1 (Error)', at: Date.UTC(2026, 0, 1, 0, 59) },
      probes: [
        { type: 'readiness', how: 'TCP :80 every 5 s', result: 'Failure' },
        { type: 'liveness', how: 'command every 10 s', result: 'Success' },
      ],
    },
    { name: 'debug', kind: 'ephemeral', probes: [{ how: 'gRPC :9 every 10 s' }] },
  ]);
  expect(JSON.stringify(line)).not.toContain('hush');
});
