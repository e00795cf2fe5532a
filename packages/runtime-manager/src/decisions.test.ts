import type { RuntimeContainerStatus } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { restartCountFromAnnotations, restorePod } from './config/labels.js';
import { restartCountFromLogs } from './config/log-paths.js';
import { computePodActions } from './decide/compute-pod-actions.js';
import { hashContainer } from './decide/hash-container.js';
import { terminationPrerequisites } from './decide/termination-order.js';
import { containersToEvict } from './gc/containers-to-evict.js';
import { sandboxIps } from './status/pod-status.js';

const status = (more: Partial<RuntimeContainerStatus>): RuntimeContainerStatus => ({
  id: `${more.name}-1`,
  name: 'a',
  state: 'running',
  createdAt: 1n,
  exitCode: 0,
  image: '',
  imageId: '',
  imageRef: '',
  hash: '',
  restartCount: 0,
  reason: '',
  message: '',
  podSandboxId: 's',
  ...more,
});
const sandbox = { id: 's', attempt: 0, state: 'ready', createdAt: 1n, networkMode: 'POD', runtimeHandler: '' } as const;

describe('computePodActions', () => {
  it('starts an ephemeral container once, also if the runtime no longer has it', () => {
    const pod = buildPod({ name: 'p', ephemeralContainers: [{ name: 'done' }, { name: 'new' }] });
    const { ephemeralContainersToStart } = computePodActions({
      pod,
      status: { sandboxStatuses: [sandbox], containerStatuses: [] },
      probeResults: { liveness: () => undefined, startup: () => undefined },
      actuated: new Map(),
      startedEphemeralContainers: new Set(['done']),
    });
    expect(ephemeralContainersToStart).toEqual([1]);
  });

  it('returns the reason of each action', () => {
    const pod = buildPod({ name: 'p', containers: [{ name: 'a' }, { name: 'b', image: 'x:2' }, { name: 'c' }, { name: 'd' }] });
    const [a, , , d] = pod.spec?.containers ?? [];
    const { reasons } = computePodActions({
      pod,
      status: {
        sandboxStatuses: [sandbox],
        containerStatuses: [
          status({ name: 'a', hash: hashContainer(a ?? { name: 'a' }) }),
          status({ name: 'b', hash: 'old' }),
          status({ name: 'c', state: 'exited', exitCode: 3 }),
          status({ name: 'd', hash: hashContainer(d ?? { name: 'd' }) }),
        ],
      },
      probeResults: { liveness: (id) => (id === 'd-1' ? 'Failure' : undefined), startup: () => undefined },
      actuated: new Map(),
    });
    expect(reasons.map(({ action, target, reason }) => `${action} ${target}: ${reason}`)).toEqual([
      'keep a: it runs as specified',
      'kill b: Container b definition changed, will be restarted',
      'start b: Container b definition changed',
      'start c: it exited with 3 and its restart policy restarts it',
      'kill d: Container d failed liveness probe, will be restarted',
      'start d: Container d failed liveness probe',
    ]);
  });
});

describe('small decisions', () => {
  it('terminationPrerequisites: a sidecar waits for all regular containers and the next sidecar', () => {
    const side = (name: string) => ({ name, restartPolicy: 'Always' });
    const pod = buildPod({
      name: 'p',
      initContainers: [side('s1'), { name: 'i' }, side('s2')],
      containers: [{ name: 'a' }, { name: 'b' }],
    });
    expect(terminationPrerequisites(pod, 'a')).toEqual([]);
    expect(terminationPrerequisites(pod, 's1')).toEqual(['a', 'b', 's2']);
    expect(terminationPrerequisites(pod, 's2')).toEqual(['a', 'b']);
  });

  it('restartCountFromLogs: one more than the newest log', () => {
    expect(restartCountFromLogs([])).toBe(0);
    expect(restartCountFromLogs(['2.log', '10.log.20260101-000000', 'x.log', '3.log.gz'])).toBe(11);
  });

  it('sandboxIps: all or none', () => {
    expect(sandboxIps({ ip: '10.0.0.1', additionalIps: [{ ip: 'fd00::1' }] })).toEqual(['10.0.0.1', 'fd00::1']);
    expect(sandboxIps({ ip: '10.0.0.1', additionalIps: [{ ip: 'bad' }] })).toEqual([]);
    expect(sandboxIps({ ip: '', additionalIps: [{ ip: '10.0.0.1' }] })).toEqual([]);
    expect(sandboxIps(undefined)).toEqual([]);
  });

  it('restorePod: bad annotations count as absent', () => {
    const { pod, container } = restorePod({
      labels: { 'io.kubernetes.container.name': 'c', 'io.kubernetes.pod.uid': 'u' },
      annotations: { 'io.kubernetes.container.preStopHandler': '{', 'io.kubernetes.pod.terminationGracePeriod': 'x' },
    });
    expect(container).toEqual({ name: 'c' });
    expect(pod).toEqual({ metadata: { name: '', namespace: '', uid: 'u' }, spec: { containers: [{ name: 'c' }] } });
  });

  it('annotations with numbers that lose digits count as absent', () => {
    const digits = '9'.repeat(400);
    expect(['2', '-1', digits, ''].map((count) => restartCountFromAnnotations({ 'io.kubernetes.container.restartCount': count }))).toEqual([
      2, 0, 0, 0,
    ]);
    const { pod } = restorePod({ labels: {}, annotations: { 'io.kubernetes.pod.terminationGracePeriod': digits } });
    expect(pod.spec?.terminationGracePeriodSeconds).toBeUndefined();
  });

  it('containersToEvict: returns reasons, and whether the container must be stopped first', () => {
    const base = { podUid: 'u', name: 'a' };
    const never = () => false;
    const evicted = containersToEvict({
      containers: [
        { ...base, id: 'new', state: 'exited', createdAt: 3n },
        { ...base, id: 'old', state: 'unknown', createdAt: 1n },
        { ...base, id: 'run', state: 'running', createdAt: 0n },
      ],
      policy: { minAgeMs: 0, maxPerPodContainer: 1, maxContainers: -1 },
      now: 1,
      allSourcesReady: true,
      evictNonDeletedPods: false,
      pods: { shouldPodContentBeRemoved: never, shouldPodRuntimeBeRemoved: never },
    });
    expect(evicted).toEqual([{ id: 'old', name: 'a', podUid: 'u', kill: true, reason: 'it has 1 newer dead instances' }]);
  });
});
