import type { PodStatus } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import {
  aContainer,
  anInstance,
  aPod,
  aStatus,
  epoch,
  exited,
  generation,
  readySandbox,
  running,
  shortConditions,
  waiting,
} from '../test-builders.js';
import { generateApiPodStatus } from './generate-status.js';

const generate = (...args: Parameters<typeof generation>) => generateApiPodStatus(generation(...args)).status;
const nothing = { sandboxes: [], ips: [] };
const stopped = { sandboxes: [{ ...readySandbox, state: 'notReady' as const }] };

describe('the lifecycle of a pod that runs and is deleted', () => {
  const pod = aPod({ containers: [aContainer('c')] });

  it('starts with a complete status before a sandbox exists', () => {
    expect(generate(pod, [], { ...nothing, hostIps: ['192.0.2.1'] })).toEqual({
      observedGeneration: 1,
      phase: 'Pending',
      hostIP: '192.0.2.1',
      hostIPs: [{ ip: '192.0.2.1' }],
      qosClass: 'BestEffort',
      containerStatuses: [
        {
          name: 'c',
          state: { waiting: { reason: 'ContainerCreating' } },
          lastState: {},
          ready: false,
          started: false,
          restartCount: 0,
          image: 'c:1',
          imageID: '',
        },
      ],
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False', observedGeneration: 1 },
        { type: 'Initialized', status: 'True', observedGeneration: 1 },
        {
          type: 'Ready',
          status: 'False',
          observedGeneration: 1,
          reason: 'ContainersNotReady',
          message: 'containers with unready status: [c]',
        },
        {
          type: 'ContainersReady',
          status: 'False',
          observedGeneration: 1,
          reason: 'ContainersNotReady',
          message: 'containers with unready status: [c]',
        },
        { type: 'PodScheduled', status: 'True', observedGeneration: 1 },
      ],
    });
  });

  it('runs, and is Succeeded when its worker has finished', () => {
    const oldStatus = generate(pod, [anInstance('c', 'running')]);
    expect(oldStatus).toMatchObject({
      phase: 'Running',
      podIP: '10.0.0.7',
      podIPs: [{ ip: '10.0.0.7' }],
      containerStatuses: [{ containerID: 'containerd://c-0', ready: true, started: true, resources: {}, state: running }],
    });
    expect(shortConditions(oldStatus).every((condition) => condition.endsWith('=True'))).toBe(true);

    const last = generate(pod, [anInstance('c', 'exited')], { ...stopped, oldStatus, podIsTerminal: true });
    expect(last).toMatchObject({ phase: 'Succeeded', containerStatuses: [{ ready: false, started: false }] });
    expect(shortConditions(last)).toEqual([
      'PodReadyToStartContainers=False',
      'Initialized=True PodCompleted',
      'Ready=False PodCompleted',
      'ContainersReady=False PodCompleted',
      'PodScheduled=True',
    ]);
  });
});

it('keeps a crashing pod Running, with the start error as reason and the exit as last state', () => {
  const pod = aPod({ containers: [aContainer('c')] });
  const crashed = anInstance('c', 'exited', { exitCode: 128, reason: 'StartError', message: 'no such file' });
  const status = generate(pod, [crashed], { waitingReasons: { c: { reason: 'RunContainerError', message: 'no such file' } } });
  expect(status).toMatchObject({
    phase: 'Running',
    containerStatuses: [
      {
        ready: false,
        started: false,
        state: { waiting: { reason: 'RunContainerError', message: 'no such file' } },
        lastState: { terminated: { exitCode: 128, reason: 'StartError' } },
      },
    ],
  });
});

it('starts init container, sidecar and regular container in sequence', () => {
  const pod = aPod({
    containers: [aContainer('main')],
    initContainers: [aContainer('first'), aContainer('side', { restartPolicy: 'Always' })],
  });
  const first = anInstance('first', 'running');
  const done = anInstance('first', 'exited');
  const side = anInstance('side', 'running');
  const main = anInstance('main', 'running');
  let oldStatus: PodStatus | undefined;
  const step = (instances: Parameters<typeof generation>[1]) => {
    oldStatus = generate(pod, instances, { oldStatus });
    const initialized = shortConditions(oldStatus).find((condition) => condition.startsWith('Initialized'));
    return [oldStatus.phase, initialized, oldStatus.initContainerStatuses?.map(({ ready }) => ready)];
  };
  expect(step([])).toEqual(['Pending', 'Initialized=False ContainersNotInitialized', [false, false]]);
  expect(step([first])).toEqual(['Pending', 'Initialized=False ContainersNotInitialized', [false, false]]);
  expect(step([done])).toEqual(['Pending', 'Initialized=False ContainersNotInitialized', [true, false]]);
  expect(step([side, done])).toEqual(['Pending', 'Initialized=True', [true, true]]);
  expect(step([main, side, done])).toEqual(['Running', 'Initialized=True', [true, true]]);
});

describe('the phase and its reason', () => {
  const pod = aPod({ restartPolicy: 'Never' });

  it('never leave a terminal phase, also when the runtime reports running containers', () => {
    const oldStatus: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'm' };
    expect(generate(pod, [anInstance('app', 'running')], { oldStatus })).toMatchObject(oldStatus);
    const known = aPod({ restartPolicy: 'Never' }, { status: { phase: 'Succeeded' } });
    expect(generate(known, [anInstance('app', 'running')], { oldStatus: { phase: 'Running' } }).phase).toBe('Succeeded');
    expect(generate(known, [anInstance('app', 'exited', { exitCode: 1 })]).phase).toBe('Succeeded');
  });

  it('keep the reason only while the phase is unchanged', () => {
    const known = aPod({}, { status: { reason: 'FromApi' } });
    const reason = (phase: string, oldReason?: string) =>
      generate(known, [anInstance('app', 'running')], { oldStatus: { phase, ...(oldReason && { reason: oldReason }) } }).reason;
    expect(reason('Running', 'FromCache')).toBe('FromCache');
    expect(reason('Running')).toBe('FromApi');
    expect(reason('Pending', 'FromCache')).toBeUndefined();
  });

  it('are those of the first cause that fails the pod', () => {
    const evict = (reason: string) => () => ({ reason, message: `${reason}!` });
    const evictHandlers = [() => undefined, evict('First'), evict('Second')];
    expect(generate(pod, [anInstance('app', 'running')], { evictHandlers })).toMatchObject({
      phase: 'Failed',
      reason: 'First',
      message: 'First!',
    });
  });

  it('are Failed at the active deadline, counted from the reported start time', () => {
    const limited = aPod({ activeDeadlineSeconds: 30 });
    const after = (seconds: number) =>
      generate(limited, [anInstance('app', 'running')], {
        oldStatus: { phase: 'Running', startTime: '2026-01-01T00:00:00Z' },
        now: epoch + seconds * 1000,
      });
    expect(after(29).phase).toBe('Running');
    expect(after(30)).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    expect(shortConditions(after(30))).toContain('Ready=False PodFailed');
  });
});

describe('conditions', () => {
  const foreign = [
    { type: 'example.com/gate', status: 'True' },
    { type: 'Ready', status: 'True' },
    { type: 'DisruptionTarget', status: 'False' },
  ];

  it('of other components come first and are kept; a disruption comes from the cached status', () => {
    const pod = aPod({}, { status: { conditions: foreign } });
    const oldStatus = { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }] };
    expect(shortConditions(generate(pod, [anInstance('app', 'running')], { oldStatus })).slice(0, 4)).toEqual([
      'example.com/gate=True',
      'DisruptionTarget=True TerminationByKubelet',
      'PodReadyToStartContainers=True',
      'Initialized=True',
    ]);
  });

  it('of a resize are removed when the pod is terminal', () => {
    const resizeConditions = [{ type: 'PodResizeInProgress', status: 'True' }];
    const pod = aPod({ restartPolicy: 'Never' });
    expect(shortConditions(generate(pod, [anInstance('app', 'running')], { resizeConditions }))[0]).toBe('PodResizeInProgress=True');
    expect(shortConditions(generate(pod, [anInstance('app', 'exited')], { resizeConditions }))).not.toContain('PodResizeInProgress=True');
  });

  it('include AllContainersRestarting only if a rule can trigger it, and without generation', () => {
    const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
    const pod = aPod({ containers: [aContainer('app', { restartPolicy: 'Never', restartPolicyRules })] });
    const conditions = generate(pod, [anInstance('app', 'exited', { exitCode: 42 })]).conditions;
    expect(conditions?.at(-1)).toMatchObject({ type: 'AllContainersRestarting', status: 'True' });
    expect(conditions?.at(-1)?.observedGeneration).toBeUndefined();
    expect(shortConditions(generate(aPod(), [])).at(-1)).toBe('PodScheduled=True');
  });
});

describe('addresses', () => {
  it('are one of each family, the node’s primary one first', () => {
    const ips = ['10.0.0.7', '10.0.0.8', 'fd00::7'];
    const podIps = (hostIps: string[]) => generate(aPod(), [], { ips, hostIps }).podIPs?.map(({ ip }) => ip);
    expect(podIps(['192.0.2.1'])).toEqual(['10.0.0.7', 'fd00::7']);
    expect(podIps(['2001:db8::1'])).toEqual(['fd00::7', '10.0.0.7']);
    expect(podIps([])).toEqual(['10.0.0.7', 'fd00::7']);
  });

  it('of a host-network pod are those of the node', () => {
    const pod = aPod({ hostNetwork: true });
    expect(generate(pod, [], { ...nothing, hostIps: ['192.0.2.1', '2001:db8::1'] })).toMatchObject({
      hostIPs: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }],
      podIP: '192.0.2.1',
      podIPs: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }],
    });
    expect(generate(pod, [], nothing).podIP).toBeUndefined();
  });
});

it('contains device health, ephemeral containers and pod-level resources', () => {
  const pod = aPod({ ephemeralContainers: [aContainer('debug')] });
  const podResources = { resources: { requests: { cpu: '1' } }, allocatedResources: { cpu: '1' } };
  const resourceHealth = { app: [{ name: 'example.com/gpu' }] };
  const status = generate(pod, [anInstance('debug', 'running')], { podResources, resourceHealth });
  expect(status).toMatchObject({
    ...podResources,
    ephemeralContainerStatuses: [{ name: 'debug', state: running }],
    containerStatuses: [{ name: 'app', allocatedResourcesStatus: resourceHealth.app }],
  });
});

it('does not modify its arguments', () => {
  const freeze = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
      Object.freeze(value);
      for (const part of Object.values(value)) freeze(part);
    }
    return value;
  };
  const oldStatus = { containerStatuses: [aStatus('app', running), aStatus('removed', exited(1))], conditions: [] };
  const pod = aPod({ initContainers: [aContainer('prepare')] }, { status: { initContainerStatuses: [aStatus('prepare', waiting)] } });
  expect(() => generateApiPodStatus(freeze(generation(pod, [anInstance('app', 'unknown')], { oldStatus })))).not.toThrow();
});
