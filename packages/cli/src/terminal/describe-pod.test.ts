import type { Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { PodExplanation } from '@nodeagent/core/node';
import { buildPod, type PodInput } from '@nodeagent/testing';
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
Name:             crash-n1
Namespace:        default
UID:              ${podUid(pod)}
Node:             n1 (embedded runtime)
Source:           file
Priority:         0
Service Account:  default
Start Time:       2026-01-01T00:00:00Z (60s ago)
Labels:           app=web
Status:           Running
Explanation:      Container main exited with 3 (Error) 3s ago after 1 restart; its back-off of about 10s ends in 7s, at 2026-01-01T00:01:07Z, and the next sync restarts it.
IP:               192.0.2.2
QoS Class:        BestEffort
Logs:             /logs/default_crash-n1_${podUid(pod)}
Containers:
  main:
    Container ID:   process://2
    Image:          host:1
    Image ID:       sha256:55
    Ports:          80/TCP
    Host Ports:     0/TCP
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
    Environment:
      PASSWORD:  hunter2
    Mounts:         <none>
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
Volumes:      <none>
Tolerations:  node.kubernetes.io/not-ready:NoExecute op=Exists for 300s, node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:
  Type     Reason     Age               Container  Message
  ----     ------     ---               ---------  -------
  Normal   Scheduled  60s               -          here
  Warning  BackOff    3s (x2 over 58s)  main       Back-off restarting failed container main
`);
});

describe('describes as kubectl describe pod does', () => {
  const described = (spec: Partial<PodInput>) => describePod({ ...answer, pod: buildPod({ name: 'p', ...spec }) });
  /** The lines of a section with its indentation removed, up to the next section of the same depth. */
  const section = (lines: readonly string[], heading: string) => {
    const at = lines.findIndex((line) => line.trim() === heading);
    const depth = (line = '') => line.search(/\S/);
    const end = lines.findIndex((line, index) => index > at && depth(line) <= depth(lines[at]));
    return lines.slice(at + 1, end).map((line) => line.slice(depth(lines[at]) + 2));
  };
  const withMain = (main: object) => described({ containers: [{ name: 'main', image: 'i', ...main }] });

  it('probes, limits and requests', () => {
    const lines = withMain({
      resources: { limits: { memory: '64Mi', cpu: '1' }, requests: { cpu: '500m' } },
      livenessProbe: { httpGet: { port: 8080, path: '/healthz' }, initialDelaySeconds: 3 },
      readinessProbe: { exec: { command: ['cat', '/ready'] }, periodSeconds: 5 },
      startupProbe: { grpc: { port: 9, service: 's' }, failureThreshold: 30 },
    }).map((line) => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining([
        'Liveness:       http-get http://:8080/healthz delay=3s timeout=1s period=10s #success=1 #failure=3',
        'Readiness:      exec [cat /ready] delay=0s timeout=1s period=5s #success=1 #failure=3',
        'Startup:        grpc <pod>:9 s delay=0s timeout=1s period=10s #success=1 #failure=30',
      ]),
    );
    const limited = withMain({ resources: { limits: { memory: '64Mi', cpu: '1' }, requests: { cpu: '500m' } } });
    expect(section(limited, 'Limits:')).toEqual(['cpu:     1', 'memory:  64Mi']);
    expect(section(limited, 'Requests:')).toEqual(['cpu:     500m', 'memory:  64Mi']);
    expect(limited).toContain('QoS Class:        Burstable');
  });

  it('the environment: values, and references to fields, secrets and configMaps without their values', () => {
    const lines = withMain({
      env: [
        { name: 'PORT', value: '80' },
        { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'CPUS', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'app', key: 'mode', optional: true } } },
      ],
      envFrom: [{ prefix: 'X_', configMapRef: { name: 'all' } }, { secretRef: { name: 'keys', optional: true } }],
    });
    expect(section(lines, 'Environment:')).toEqual([
      'PORT:      80',
      'POD:       (v1:metadata.name)',
      'CPUS:      (limits.cpu)',
      "PASSWORD:  <set to the key 'password' in secret 'db'>  Optional: false",
      "MODE:      <set to the key 'mode' of config map 'app'>  Optional: true",
    ]);
    expect(section(lines, 'Environment Variables from:')).toEqual([
      "all:   ConfigMap with prefix 'X_'  Optional: false",
      'keys:  Secret  Optional: true',
    ]);
  });

  it('mounts and volumes', () => {
    const lines = described({
      containers: [
        {
          name: 'main',
          image: 'i',
          volumeMounts: [
            { name: 'data', mountPath: '/data', subPath: 'sub' },
            { name: 'config', mountPath: '/config', readOnly: true },
          ],
        },
      ],
      volumes: [
        { name: 'data', emptyDir: { sizeLimit: '1Gi' } },
        { name: 'config', configMap: { name: 'app' } },
        { name: 'token', projected: { sources: [{ serviceAccountToken: { path: 'token' } }, { configMap: { name: 'ca' } }] } },
        { name: 'disk', csi: { driver: 'disk.example.com', readOnly: true } },
      ],
    });
    expect(section(lines, 'Mounts:')).toEqual(['/config from config (ro)', '/data from data (rw,path="sub")']);
    expect(section(lines, 'Volumes:')).toEqual([
      'data:',
      "  Type:       EmptyDir (a temporary directory that shares a pod's lifetime)",
      '  SizeLimit:  1Gi',
      'config:',
      '  Type:      ConfigMap (a volume populated by a ConfigMap)',
      '  Name:      app',
      '  Optional:  false',
      'token:',
      '  Type:                    Projected (a volume that contains injected data from multiple sources)',
      '  TokenExpirationSeconds:  3607',
      '  ConfigMapName:           ca',
      'disk:',
      '  Type:      CSI (a Container Storage Interface (CSI) volume source)',
      '  Driver:    disk.example.com',
      '  ReadOnly:  true',
    ]);
  });

  it('priority, service account, node selectors and tolerations', () => {
    const lines = described({
      priority: 7,
      serviceAccountName: 'builder',
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'drained', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }],
    }).map((line) => line.replace(/ {2,}/, ' '));
    for (const line of [
      'Priority: 7',
      'Service Account: builder',
      'Node-Selectors: disk=ssd',
      'Tolerations: drained:NoExecute op=Exists for 300s',
    ]) {
      expect(lines).toContain(line);
    }
  });
});

describe('of other pods', () => {
  const text = (changes: Partial<PodAnswer>) => describePod({ ...answer, ...changes }).join('\n');
  const { lastSync: _sync, lastChange: _change, nextRetryAt: _next, ...fresh } = worker;

  it('reports a missing worker and what blocks it', () => {
    const { worker: _, ...untaken } = answer;
    const lines = describePod({ ...untaken, status: {}, events: [], runtimeErrors: ['connect ENOENT /run/x.sock'] }).join('\n');
    expect(lines).toMatch(/Status: +Pending/);
    expect(lines).toMatch(/Worker:\n {2}State: +no worker yet\n {2}Blocked By: +the container runtime: connect ENOENT \/run\/x\.sock\n/);
    expect(lines).toMatch(/State: +Waiting\n {4}Ready: +False/);
    expect(lines).toMatch(/Conditions: +<none>\nVolumes: +<none>\nTolerations: .*\nEvents: +<none>$/);
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
