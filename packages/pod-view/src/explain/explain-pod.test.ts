import type { ContainerStatus, PodStatus } from '@nodeagent/api';
import { buildPod, type PodInput } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { PodEvent } from '../containers/pod-events.js';
import { explainPod } from './explain-pod.js';

const now = Date.parse('2026-01-01T01:00:00Z');
/** The time some seconds before now. */
const before = (seconds: number) => new Date(now - seconds * 1000).toISOString().replace('.000Z', 'Z');

const status = (name: string, state: ContainerStatus['state'], more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  image: 'i',
  imageID: '',
  ready: state?.running !== undefined,
  restartCount: 0,
  started: state?.running !== undefined,
  state,
  ...more,
});
const runs = (seconds = 60): ContainerStatus['state'] => ({ running: { startedAt: before(seconds) } });
const waits = (reason: string, message?: string): ContainerStatus['state'] => ({ waiting: { reason, ...(message && { message }) } });
const exited = (exitCode: number, reason: string, seconds = 30): ContainerStatus['state'] => ({
  terminated: { exitCode, reason, startedAt: before(seconds + 5), finishedAt: before(seconds) },
});
const event = (reason: string, message: string, seconds: number, more: Partial<PodEvent> & { container?: string } = {}): PodEvent => {
  const { container, ...rest } = more;
  return {
    reason,
    message,
    lastTimestamp: before(seconds),
    involvedObject: { kind: 'Pod', name: 'p', ...(container && { fieldPath: `spec.containers{${container}}` }) },
    ...rest,
  };
};

interface Case {
  pod?: Partial<PodInput>;
  status?: PodStatus;
  events?: PodEvent[];
}

const explain = ({ pod, status = {}, events = [] }: Case) =>
  explainPod(buildPod({ name: 'p', nodeName: 'node-1', status: { startTime: before(120), ...status }, ...pod }), { now, events });

/** A pod in the phase Running with these containers. */
const running = (...containerStatuses: ContainerStatus[]): PodStatus => ({ phase: 'Running', containerStatuses });
const unready = [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'containers with unready status: [main]' }];
const failed = (reason: string, message = ''): PodStatus => ({ phase: 'Failed', reason, message });
const deleted = (secondsLeft: number, more = {}) => ({
  metadata: { deletionTimestamp: before(-secondsLeft), deletionGracePeriodSeconds: 30, ...more },
});
const owner = (kind: string) => ({
  metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'web', uid: 'u', controller: true }] },
});
const unscheduled = { nodeName: '' };

/** The explanation of each case: `name: state, severity, next: sentence`. */
function explained(cases: Readonly<Record<string, Case>>): string {
  const lines = Object.entries(cases).map(([name, each]) => {
    const { state, severity, next, sentence } = explain(each);
    return `${name}: ${[state, severity, ...(next ? [next.what] : [])].join(', ')}\n  ${sentence}`;
  });
  return `\n${lines.join('\n')}\n`;
}

it('explains a pod before its node starts it', () => {
  const cases: Record<string, Case> = {
    gated: { pod: { ...unscheduled, schedulingGates: [{ name: 'a.b/quota' }] }, status: { startTime: null } },
    'gated by the condition': {
      pod: unscheduled,
      status: { startTime: null, conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    },
    unscheduled: {
      pod: unscheduled,
      status: { startTime: null },
      events: [event('FailedScheduling', '0/3 nodes are available: 3 Insufficient cpu. ', 20, { count: 4 })],
    },
    'unscheduled by condition': {
      pod: unscheduled,
      status: {
        startTime: null,
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available.' }],
      },
    },
    preempting: {
      pod: unscheduled,
      status: { startTime: null, nominatedNodeName: 'node-2' },
      events: [event('FailedScheduling', '0/3 nodes are available.', 20)],
    },
    'new': { pod: unscheduled, status: { startTime: null } },
    scheduled: { status: { startTime: null } },
    static: { pod: { annotations: { 'kubernetes.io/config.source': 'file' } }, status: { startTime: null } },
  };
  expect(explained(cases)).toMatchInlineSnapshot(`
    "
    gated: gated, busy
      The pod is scheduled once scheduling gate a.b/quota is removed.
    gated by the condition: gated, busy
      The pod is scheduled once its scheduling gates are removed.
    unscheduled: unscheduled, error, schedule
      The pod is not scheduled (last attempt 20s ago): 0/3 nodes are available: 3 Insufficient cpu.
    unscheduled by condition: unscheduled, error, schedule
      The pod is not scheduled: 0/1 nodes are available.
    preempting: unscheduled, busy, schedule
      The pod waits until pods of lower priority on node node-2 have terminated (last attempt 20s ago): 0/3 nodes are available.
    new: unscheduled, busy, schedule
      The pod is not scheduled.
    scheduled: scheduled, busy, start
      The pod is scheduled to node node-1, which has not reported its status yet.
    static: scheduled, busy, start
      The static pod is scheduled to node node-1, which has not reported its status yet.
    "
  `);
});

it('explains a pod while it starts', () => {
  const cases: Record<string, Case> = {
    creating: { status: { containerStatuses: [status('main', waits('ContainerCreating'))] } },
    volumes: {
      status: { containerStatuses: [status('main', waits('ContainerCreating'))] },
      events: [
        event('FailedMount', 'MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found', 12, { count: 7 }),
        event('Scheduled', 'x', 100),
      ],
    },
    pulling: {
      status: { containerStatuses: [status('main', waits('ContainerCreating'))] },
      events: [event('Pulling', 'Pulling image "busybox:1"', 42, { container: 'main' })],
    },
    sandbox: {
      status: { containerStatuses: [status('main', waits('ContainerCreating'))] },
      events: [event('FailedCreatePodSandBox', 'Failed to create pod sandbox: no network', 3)],
    },
    image: {
      status: {
        containerStatuses: [status('main', waits('ImagePullBackOff', 'Back-off pulling image "busybox:1": ErrImagePull: not found'))],
      },
      events: [event('Failed', 'Failed to pull image "busybox:1": not found', 15, { count: 3, container: 'main' })],
    },
    'image, no events': { status: { containerStatuses: [status('main', waits('ErrImagePull', 'not found'))] } },
    config: { status: { containerStatuses: [status('main', waits('CreateContainerConfigError', 'secret "db" not found'))] } },
    'init runs': {
      pod: { initContainers: ['a', 'b'] },
      status: {
        initContainerStatuses: [status('init1', exited(0, 'Completed')), status('init2', runs(5))],
        containerStatuses: [status('main', waits('PodInitializing'))],
      },
    },
    'init waits': {
      pod: { initContainers: ['a', 'b'] },
      status: {
        initContainerStatuses: [status('init1', waits('PodInitializing')), status('init2', waits('PodInitializing'))],
        containerStatuses: [status('main', waits('PodInitializing'))],
      },
    },
    'init crash': {
      pod: { initContainers: ['a'] },
      status: {
        initContainerStatuses: [
          status('init1', waits('CrashLoopBackOff', 'back-off 20s restarting failed container=init1 pod=p'), {
            restartCount: 2,
            lastState: exited(1, 'Error', 5),
          }),
        ],
      },
    },
    sidecar: {
      pod: { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] },
      status: { initContainerStatuses: [status('proxy', runs(5), { started: false })] },
    },
    'startup probe': {
      pod: { containers: [{ startupProbe: { httpGet: { port: 80 } } }] },
      status: running(status('main', runs(), { started: false, ready: false })),
      events: [event('Unhealthy', 'Startup probe failed: connect refused', 2, { count: 5, container: 'main' })],
    },
  };
  expect(explained(cases)).toMatchInlineSnapshot(`
    "
    creating: creating, busy, start
      Container main is being created.
    volumes: creating, error, retry
      Container main cannot be created (FailedMount), and node node-1 retries: MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found.
    pulling: creating, busy, start
      Container main starts when its image is pulled, which began 42s ago.
    sandbox: creating, error, retry
      Container main cannot be created (FailedCreatePodSandBox), and node node-1 retries: Failed to create pod sandbox: no network.
    image: imagePull, error, pull
      Container main cannot start because its image busybox:1 cannot be pulled (ImagePullBackOff): Back-off pulling image "busybox:1": ErrImagePull: not found; the next pull is due in 25s, at 2026-01-01T01:00:25Z.
    image, no events: imagePull, error, pull
      Container main cannot start because its image busybox:1 cannot be pulled (ErrImagePull): not found.
    config: cannotStart, error, retry
      Container main cannot start (CreateContainerConfigError), and node node-1 retries: secret "db" not found.
    init runs: initializing, busy, start
      Init container init2 (2 of 2) has run for 5s; the containers start when it succeeds.
    init waits: initializing, busy, start
      Init container init1 (1 of 2) is about to run; the next one starts when it succeeds.
    init crash: crashLoop, error, restart
      Init container init1 exited with 1 (Error) 5s ago after 2 restarts; its back-off of 20s ends in 15s, at 2026-01-01T01:00:15Z, and the next sync restarts it.
    sidecar: initializing, busy, start
      Sidecar proxy (1 of 1) has run for 5s; the containers start once it has started.
    startup probe: starting, busy, probe
      Container main is not started until its startup probe (HTTP GET :80/ every 10s) succeeds, and restarts after 3 failures in a row; it failed 5 times, last 2s ago: Startup probe failed: connect refused.
    "
  `);
});

it('explains a pod while a container exits again and again', () => {
  const cases: Record<string, Case> = {
    crash: {
      status: running(
        status('main', waits('CrashLoopBackOff', 'back-off 40s restarting failed container=main pod=p_default(u)'), {
          restartCount: 3,
          lastState: exited(137, 'OOMKilled'),
        }),
      ),
    },
    'crash, no message': { status: running(status('main', waits('CrashLoopBackOff'), { restartCount: 3, lastState: exited(1, 'Error') })) },
    'crash, over': { status: running(status('main', waits('CrashLoopBackOff'), { restartCount: 1, lastState: exited(1, 'Error') })) },
    'crash, no time': { status: running(status('main', waits('CrashLoopBackOff'), { restartCount: 1 })) },
    'liveness probe': {
      status: running(status('main', waits('CrashLoopBackOff'), { restartCount: 1, lastState: exited(137, 'Error', 3) })),
      events: [event('Killing', 'Container main failed liveness probe, will be restarted', 5, { container: 'main' })],
    },
    'sidecar crashes beside running containers': {
      pod: { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] },
      status: {
        ...running(status('main', runs())),
        initContainerStatuses: [status('proxy', waits('CrashLoopBackOff'), { restartCount: 1, lastState: exited(1, 'Error', 3) })],
      },
    },
    'just exited': { status: running(status('main', exited(2, 'Error', 1))) },
    'completed, policy Always': { status: running(status('main', exited(0, 'Completed', 1), { restartCount: 2 })) },
    'failed beside': {
      pod: { restartPolicy: 'Never', containers: ['a', 'b'] },
      status: running(status('main', exited(3, 'Error')), status('c2', runs())),
    },
  };
  expect(explained(cases)).toMatchInlineSnapshot(`
    "
    crash: crashLoop, error, restart
      Container main exited with 137 (OOMKilled) 30s ago after 3 restarts; its back-off of 40s ends in 10s, at 2026-01-01T01:00:10Z, and the next sync restarts it.
    crash, no message: crashLoop, error, restart
      Container main exited with 1 (Error) 30s ago after 3 restarts; its back-off of about 40s ends in 10s, at 2026-01-01T01:00:10Z, and the next sync restarts it.
    crash, over: crashLoop, error, restart
      Container main exited with 1 (Error) 30s ago after 1 restart; its back-off of about 10s has ended, and the next sync restarts it.
    crash, no time: crashLoop, error, restart
      Container main exited after 1 restart and restarts at the first sync after its back-off of about 10s.
    liveness probe: crashLoop, error, restart
      Container main exited with 137 (Error) because its liveness probe failed 3s ago after 1 restart; its back-off of about 10s ends in 7s, at 2026-01-01T01:00:07Z, and the next sync restarts it.
    sidecar crashes beside running containers: crashLoop, error, restart
      Sidecar proxy exited with 1 (Error) 3s ago after 1 restart; its back-off of about 10s ends in 7s, at 2026-01-01T01:00:07Z, and the next sync restarts it.
    just exited: crashLoop, error, restart
      Container main exited with 2 (Error) 1s ago and restarts at the next sync.
    completed, policy Always: crashLoop, warning, restart
      Container main completed 1s ago after 2 restarts; its back-off of about 20s ends in 19s, at 2026-01-01T01:00:19Z, and the next sync restarts it.
    failed beside: failed, error
      Container main exited with 3 (Error) 30s ago, and its restart policy does not restart it.
    "
  `);
});

it('explains a pod while it runs', () => {
  const cases: Record<string, Case> = {
    unready: {
      pod: { containers: [{ readinessProbe: { httpGet: { port: 8080, path: '/healthz' } } }] },
      status: { ...running(status('main', runs(), { ready: false })), conditions: unready },
      events: [event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 500', 4, { count: 9, container: 'main' })],
    },
    'unready no events': {
      pod: { containers: [{ readinessProbe: { exec: { command: ['x'] } } }] },
      status: { ...running(status('main', runs(), { ready: false })), conditions: unready },
    },
    gates: {
      pod: { readinessGates: [{ conditionType: 'a.b/lb' }] },
      status: { ...running(status('main', runs())), conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' }] },
    },
    deferred: {
      status: {
        ...running(status('main', runs())),
        conditions: [
          {
            type: 'PodResizePending',
            status: 'True',
            reason: 'Deferred',
            message: 'Node did not have enough resource: cpu, requested: 2000',
          },
        ],
      },
    },
    infeasible: {
      status: { ...running(status('main', runs())), conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] },
    },
    'in progress': { status: { ...running(status('main', runs())), conditions: [{ type: 'PodResizeInProgress', status: 'True' }] } },
    ready: {
      status: { ...running(status('main', runs())), conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: before(300) }] },
    },
    restarted: {
      status: {
        ...running(status('main', runs(60), { restartCount: 2, lastState: exited(1, 'Error', 80) })),
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: before(50) }],
      },
    },
    'one completed': {
      pod: { restartPolicy: 'Never', containers: ['a', 'b'] },
      status: { ...running(status('main', exited(0, 'Completed')), status('c2', runs())), conditions: unready },
    },
    'node lost': { status: { ...running(status('main', runs())), phase: 'Unknown' } },
    'node not ready': {
      status: { ...running(status('main', runs())), conditions: [{ type: 'Ready', status: 'False' }] },
      events: [event('NodeNotReady', 'Node is not ready', 5)],
    },
  };
  expect(explained(cases)).toMatchInlineSnapshot(`
    "
    unready: notReady, warning, probe
      Container main is not ready until its readiness probe (HTTP GET :8080/healthz every 10s) succeeds; it failed 9 times, last 4s ago: Readiness probe failed: HTTP probe failed with statuscode: 500.
    unready no events: notReady, warning, probe
      Container main is not ready until its readiness probe (command every 10s) succeeds.
    gates: readinessGate, warning
      The pod is not ready: readiness gate a.b/lb is not True.
    deferred: resizing, busy, retry
      The pod runs, and its resize is deferred until it fits on node node-1: Node did not have enough resource: cpu, requested: 2000.
    infeasible: resizing, error
      The pod runs, and its resize does not fit on node node-1.
    in progress: resizing, busy, retry
      The pod runs, and its resize is being applied by node node-1.
    ready: running, ok
      The pod runs and has been ready for 5m.
    restarted: running, warning
      The pod runs and has been ready for 50s; main restarted after it exited with 1 (Error) 80s ago.
    one completed: notReady, ok
      The pod runs but is not ready: main completed.
    node lost: nodeLost, error
      The pod is in an unknown state: node node-1 does not report.
    node not ready: nodeLost, error
      The pod is in an unknown state: node node-1 does not report.
    "
  `);
});

it('explains a pod while it is deleted', () => {
  const cases: Record<string, Case> = {
    grace: { pod: deleted(12), status: running(status('main', runs())) },
    two: { pod: { ...deleted(12), containers: ['a', 'b'] }, status: running(status('main', runs()), status('c2', runs())) },
    overdue: { pod: deleted(-300), status: running(status('main', runs())) },
    stopped: { pod: deleted(12), status: running(status('main', exited(0, 'Completed'))) },
    finalizers: {
      pod: deleted(-300, { finalizers: ['a.b/c', 'd.e/f'] }),
      status: { phase: 'Succeeded', containerStatuses: [status('main', exited(0, 'Completed'))] },
    },
    'node lost': { pod: deleted(-300), status: { ...running(status('main', runs())), reason: 'NodeLost' } },
    mirror: { pod: { ...deleted(12), annotations: { 'kubernetes.io/config.mirror': 'h' } }, status: running(status('main', runs())) },
  };
  expect(explained(cases)).toMatchInlineSnapshot(`
    "
    grace: terminating, busy, kill
      The pod is terminating: container main still runs, and its grace period of 30s ends in 12s, at 2026-01-01T01:00:12Z, when the node kills it.
    two: terminating, busy, kill
      The pod is terminating: containers main and c2 still run, and its grace period of 30s ends in 12s, at 2026-01-01T01:00:12Z, when the node kills them.
    overdue: terminating, warning, kill
      The pod is terminating: its grace period of 30s ended 5m ago, but container main still runs.
    stopped: terminating, busy, remove
      The pod is terminating: its containers have stopped, and node node-1 releases its volumes.
    finalizers: deleted, warning
      The pod has stopped and is deleted once finalizers a.b/c and d.e/f are removed.
    node lost: terminating, error
      The pod is being deleted, but node node-1 does not report that its containers have stopped.
    mirror: terminating, busy, replace
      The mirror pod is being deleted, but the static pod on its node keeps running and gets a new mirror pod.
    "
  `);
});

it('explains a pod after it ended', () => {
  const cases: Record<string, Case> = {
    evicted: { pod: owner('ReplicaSet'), status: failed('Evicted', 'The node was low on resource: memory. ') },
    preempted: { status: failed('Preempting', 'Preempted in order to admit critical pod') },
    'preempted by scheduler': {
      status: {
        phase: 'Failed',
        conditions: [
          {
            type: 'DisruptionTarget',
            status: 'True',
            reason: 'PreemptionByScheduler',
            message: 'default-scheduler: preempting to accommodate a higher priority pod',
          },
        ],
      },
    },
    deadline: {
      pod: { activeDeadlineSeconds: 30, ...owner('Job') },
      status: failed('DeadlineExceeded', 'Pod was active on the node longer than the specified deadline'),
    },
    rejected: { status: failed('UnexpectedAdmissionError', 'Allocate failed due to no devices') },
    'rejected cpu': { status: failed('OutOfcpu', "Node didn't have enough resource: cpu") },
    shutdown: { status: failed('Terminated', 'Pod was terminated in response to imminent node shutdown.') },
    failed: {
      pod: { restartPolicy: 'Never', containers: ['a', 'b'] },
      status: { phase: 'Failed', containerStatuses: [status('main', exited(137, 'OOMKilled')), status('c2', exited(1, 'Error'))] },
    },
    succeeded: { status: { phase: 'Succeeded', containerStatuses: [status('main', exited(0, 'Completed', 300))] } },
  };
  expect(explained(cases)).toMatchInlineSnapshot(`
    "
    evicted: evicted, error, replace
      The pod was evicted by node node-1: The node was low on resource: memory; ReplicaSet web replaces it.
    preempted: preempted, error
      The pod was preempted for a pod of higher priority: Preempted in order to admit critical pod.
    preempted by scheduler: preempted, error
      The pod was preempted for a pod of higher priority: default-scheduler: preempting to accommodate a higher priority pod.
    deadline: deadlineExceeded, error
      The pod was stopped because it ran longer than its deadline of 30s.
    rejected: rejected, error
      The pod was rejected by node node-1 (UnexpectedAdmissionError): Allocate failed due to no devices.
    rejected cpu: rejected, error
      The pod was rejected by node node-1 (OutOfcpu): Node didn't have enough resource: cpu.
    shutdown: failed, error
      The pod was stopped because node node-1 shut down: Pod was terminated in response to imminent node shutdown.
    failed: failed, error
      The pod failed: main exited with 137 (OOMKilled) and c2 exited with 1 (Error), with restart policy Never.
    succeeded: succeeded, done
      The pod completed 5m ago: all containers succeeded.
    "
  `);
});
