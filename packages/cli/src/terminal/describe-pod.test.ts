import { type Pod, podUid } from '@nodeagent/api';
import type { PodExplanation } from '@nodeagent/core';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { PodAnswer } from '../local-api/answers.js';
import { describePod } from './describe-pod.js';

const now = Date.UTC(2026, 0, 1, 0, 1);
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString().replace('.000', '');

const pod: Pod = buildPod({
  name: 'crash-n1',
  labels: { app: 'web' },
  annotations: { 'kubernetes.io/config.source': 'file' },
  containers: [
    {
      name: 'main',
      image: 'host:1',
      command: ['sh', '-c', 'exit 3'],
      ports: [{ containerPort: 80 }],
      env: [{ name: 'PASSWORD', value: 'hunter2' }],
    },
  ],
});
const worker: PodExplanation = {
  fullName: 'crash-n1_default',
  state: 'SyncPod',
  summary: '-',
  finished: false,
  updatePending: false,
  lastSync: {
    work: 'SyncPod',
    updateType: 'sync',
    cause: { event: 'ContainerDied', containerId: '2' },
    startedAt: now - 3_000,
    endedAt: now - 2_988,
    reasons: [{ action: 'start', target: 'main', reason: 'it exited with 3 and its restart policy restarts it' }],
    error: 'back-off 10s restarting failed container=main',
  },
  lastChange: {
    work: 'SyncPod',
    updateType: 'create',
    cause: { event: 'ADD', source: 'file' },
    startedAt: now - 60_000,
    endedAt: now - 59_500,
    reasons: [{ action: 'createSandbox', target: '', reason: 'the pod has no sandbox' }],
  },
  backOffs: [{ container: 'main', reason: 'CrashLoopBackOff', until: now + 7_000 }],
  nextRetryAt: now + 9_000,
};
const answer: PodAnswer = {
  now,
  node: 'n1',
  runtime: 'embedded runtime',
  runtimeErrors: [],
  podLogsDir: '/logs',
  pulls: [],
  pod,
  status: {
    phase: 'Running',
    startTime: ago(60),
    podIP: '192.0.2.2',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'containers with unready status: [main]' },
    ],
    containerStatuses: [
      {
        name: 'main',
        ready: false,
        restartCount: 1,
        image: 'host:1',
        imageID: 'sha256:55',
        containerID: 'process://2',
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
        lastState: { terminated: { exitCode: 3, reason: 'Error', containerID: 'process://2', startedAt: ago(4), finishedAt: ago(3) } },
      },
    ],
  },
  state: 'SyncPod',
  lastEvent: undefined,
  worker,
  events: [
    {
      at: now - 60_000,
      firstAt: now - 60_000,
      count: 1,
      type: 'Normal',
      reason: 'Scheduled',
      message: 'here',
      object: { kind: 'Pod' },
    },
    {
      at: now - 3_000,
      firstAt: now - 58_000,
      count: 2,
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off restarting failed container main',
      object: { kind: 'Pod', fieldPath: 'spec.containers{main}' },
    },
  ],
};

it('describes a crashing pod as kubectl does, with its last sync, the reason and the next retry', () => {
  expect(`\n${describePod(answer).join('\n')}\n`).toBe(`
Name:        crash-n1
Namespace:   default
UID:         ${podUid(pod)}
Node:        n1 (embedded runtime)
Source:      file
Start Time:  2026-01-01T00:00:00Z (60s ago)
Labels:      app=web
Status:      Running
IP:          192.0.2.2
QoS Class:   BestEffort
Logs:        /logs/default_crash-n1_${podUid(pod)}
Containers:
  main:
    Container ID:   process://2
    Image:          host:1
    Image ID:       sha256:55
    Ports:          80/TCP
    Command:        sh -c "exit 3"
    State:          Waiting
      Reason:   CrashLoopBackOff
      Message:  back-off 10s
    Last State:     Terminated
      Reason:     Error
      Exit Code:  3
      Started:    2026-01-01T00:00:56Z (4s ago)
      Finished:   2026-01-01T00:00:57Z (3s ago)
    Ready:          False
    Restart Count:  1
Worker:
  State:        SyncPod: runs the pod
  Last Sync:    2026-01-01T00:00:57Z (3s ago), failed after 12ms
    Event:  ContainerDied: container main
    Decision:
      start main:  it exited with 3 and its restart policy restarts it
    Error:  back-off 10s restarting failed container=main
  Last Change:  2026-01-01T00:00:00Z (60s ago), succeeded after 500ms
    Event:  ADD from source "file"
    Decision:
      create a sandbox:  the pod has no sandbox
  Back-Off:     main: CrashLoopBackOff until 2026-01-01T00:01:07Z (in 7s); the first sync after that retries
  Next Retry:   2026-01-01T00:01:09Z (in 9s)
Conditions:
  Type          Status  Reason              Message
  ----          ------  ------              -------
  PodScheduled  True
  Ready         False   ContainersNotReady  containers with unready status: [main]
Events:
  Type     Reason     Age               Container  Message
  ----     ------     ---               ---------  -------
  Normal   Scheduled  60s               -          here
  Warning  BackOff    3s (x2 over 58s)  main       Back-off restarting failed container main
`);
});

it('never shows the environment of a container', () => {
  expect(describePod(answer).join('\n')).not.toMatch(/PASSWORD|hunter2/);
});

describe('of other pods', () => {
  const text = (changes: Partial<PodAnswer>) => describePod({ ...answer, ...changes }).join('\n');
  const { lastSync: _sync, lastChange: _change, nextRetryAt: _next, ...fresh } = worker;

  it('reports a missing worker and what blocks it', () => {
    const { worker: _, ...untaken } = answer;
    const lines = describePod({ ...untaken, status: {}, events: [], runtimeErrors: ['connect ENOENT /run/x.sock'] }).join('\n');
    expect(lines).toContain('Status:     Pending');
    expect(lines).toMatch(/Worker:\n {2}State: +no worker yet\n {2}Blocked By: +the container runtime: connect ENOENT \/run\/x\.sock\n/);
    expect(lines).toMatch(/State: +Waiting\n {4}Ready: +False/);
    expect(lines).toMatch(/Conditions: +<none>\nEvents: +<none>$/);
  });

  it('shows what the worker waits for, and for which image', () => {
    const pull = { image: 'big:1', podUid: podUid(pod), state: 'pulling' as const, since: now - 20_000, startedAt: now - 12_000 };
    const lines = text({
      pulls: [pull],
      worker: {
        ...fresh,
        backOffs: [],
        waitingFor: 'sync',
        summary: 'Syncing the pod, since 12.0 s.',
        lastSync: { work: 'SyncPod', updateType: 'update', startedAt: now - 12_000 },
      },
    });
    expect(lines).toMatch(/Now: +Syncing the pod, since 12\.0 s\./);
    expect(lines).toMatch(/Image Pull: +pulling image for 12s: big:1/);
    expect(lines).toMatch(/Last Sync: +2026-01-01T00:00:48Z \(12s ago\), running\n {4}Event: +update "update"/);
    expect(lines).not.toMatch(/Next (Sync|Retry)/);
  });

  it('shows a healthy pod and its next resync', () => {
    const sync = {
      work: 'SyncPod' as const,
      updateType: 'sync' as const,
      cause: { event: 'Due' },
      startedAt: now - 5_000,
      endedAt: now - 4_990,
    };
    const lines = text({ worker: { ...fresh, backOffs: [], lastSync: sync, lastChange: sync, nextRetryAt: now + 60_000 } });
    expect(lines).toMatch(
      /Last Sync: +2026-01-01T00:00:55Z \(5s ago\), succeeded after 10ms\n {4}Event: +Due: periodic resync\n {2}Next Sync: +2026-01-01T00:02:00Z \(in 60s\)/,
    );
    expect(lines).not.toContain('Last Change');
  });

  it('shows why it terminates', () => {
    const lines = text({ worker: { ...fresh, state: 'TerminatingPod', backOffs: [], terminationCause: 'deleted', gracePeriod: 30 } });
    expect(lines).toMatch(/Status: +Terminating \(Running\)/);
    expect(lines).toMatch(
      /State: +TerminatingPod: stops the containers\n {2}Termination Cause: +the pod was deleted\n {2}Grace Period: +30s/,
    );
  });

  it('shows a finished worker', () => {
    const summary = 'The pod has terminated and its resources are released.';
    const lines = text({
      status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource' },
      worker: { ...fresh, state: 'TerminatedPod', finished: true, summary, backOffs: [], terminationCause: 'evicted' },
    });
    expect(lines).toMatch(/Status: +Failed\nReason: +Evicted\nMessage: +The node was low on resource/);
    expect(lines).toContain(summary);
  });

  it('names events of a container that its status does not have', () => {
    const lastSync = { work: 'SyncPod' as const, updateType: 'sync' as const, startedAt: now };
    const event = (cause: { event: string; containerId?: string }) =>
      /Event: +(.*)/.exec(text({ worker: { ...fresh, lastSync: { ...lastSync, cause } } }))?.[1];
    expect(event({ event: 'ContainerStarted', containerId: '0123456789abcdef' })).toBe(
      'ContainerStarted: sandbox or old container 0123456789ab',
    );
    expect(event({ event: 'PodSync' })).toBe('PodSync');
  });

  it('describes each kind of container and each state', () => {
    const status = { ready: true, restartCount: 0, image: 'host', imageID: '' };
    const lines = text({
      pod: buildPod({
        name: 'p',
        initContainers: [{ name: 'setup', image: 'host' }],
        containers: [{ name: 'app', image: 'host', args: ['--x', ''] }],
        ephemeralContainers: [{ name: 'debug', image: 'host' }],
      }),
      status: {
        initContainerStatuses: [{ ...status, name: 'setup', state: { terminated: { exitCode: 0, signal: 9, reason: 'Killed' } } }],
        containerStatuses: [{ ...status, name: 'app', state: { running: { startedAt: ago(30) } } }],
      },
    });
    expect(lines).toMatch(/Init Containers:\n {2}setup:\n[\s\S]*State: +Terminated\n {6}Reason: +Killed\n {6}Signal: +9/);
    expect(lines).toMatch(
      /\nContainers:\n {2}app:\n[\s\S]*Args: +--x ""\n {4}State: +Running\n {6}Started: +2026-01-01T00:00:30Z \(30s ago\)/,
    );
    expect(lines).toMatch(/\nEphemeral Containers:\n {2}debug:/);
  });
});

it('shows what the resource managers assigned, and the hints that decided', () => {
  const containers = [{ containerName: 'app', cpus: '2-3', memoryNumaNodes: [0], devices: { 'example.com/gpu': ['gpu0', 'gpu1'] } }];
  const hint = { numaNodes: [0, 1], preferred: false };
  const chosen = [{ provider: 'cpus', resource: 'cpu', hint }];
  const reasons = ['cpu (cpus) is only available from NUMA nodes 0-1, more nodes than it needs'];
  const topology = {
    ...{ podUID: 'u1', namespace: 'default', name: 'web', decidedAt: 0, result: { admit: true } as const },
    alignments: [{ containerName: 'app', hint, admit: true, chosen, reasons }],
  };
  const lines = describePod({ ...answer, assignments: { containers, topology } });
  const at = lines.indexOf('Assigned:');
  expect(lines.slice(at, at + 9)).toEqual([
    'Assigned:',
    '  app:',
    '    CPUs:             2-3',
    '    Memory:           NUMA node 0',
    '    example.com/gpu:  gpu0, gpu1',
    'Topology:',
    '  app:',
    '    Decision:  admitted, NUMA nodes 0, 1, not preferred',
    '    cpu:       NUMA nodes 0, 1',
  ]);
  expect(lines[at + 9]).toBe(`    Because:   ${reasons[0]}`);
});

it('shows the cgroup of the pod and its limits', () => {
  const cgroup = { path: '/kubepods/podu1', cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000, memory: 64 << 20, pids: 100 };
  const lines = describePod({ ...answer, cgroup });
  const at = lines.indexOf('Cgroup:');
  expect(lines.slice(at, at + 6)).toEqual([
    'Cgroup:',
    '  Path:        /kubepods/podu1',
    '  CPU shares:  512',
    '  CPU quota:   50000 of 100000 us',
    '  Memory:      64Mi',
    '  Processes:   100',
  ]);
});
