import type { Event, Lease, Pod, ResizableRuntime, Runtime } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import type { PartReplacements } from './components.js';
import { conditionOf, createTestMember, joined, running, untilReady, userPod } from './test-member.js';

describe('a node that joins a cluster', () => {
  it('is registered and ready at once, with the facts of the machine and the runtime', async () => {
    const member = await joined({ join: { settings: { nodeLabels: { disk: 'ssd' }, providerID: 'test://1' } } });
    expect(member.clock.monotonic()).toBeLessThan(5_000);
    expect(member.node()).toMatchObject({
      metadata: { labels: { 'kubernetes.io/hostname': 'node', 'kubernetes.io/os': 'linux', disk: 'ssd' } },
      spec: { providerID: 'test://1' },
      status: {
        addresses: [
          { type: 'InternalIP', address: '192.0.2.1' },
          { type: 'Hostname', address: 'node' },
        ],
        capacity: { cpu: '4', memory: '8Gi', pods: '110' },
        nodeInfo: { containerRuntimeVersion: 'memory://1.0.0', kubeletVersion: 'v1.36.2' },
        declaredFeatures: [
          'InPlacePodLevelResourcesVerticalScaling',
          'InPlacePodVerticalScalingInitContainers',
          'RestartAllContainersOnContainerExits',
        ],
      },
    });
    expect(member.agent.clusterError()).toBeUndefined();
    expect(await member.end()).toBe(0);
  });

  it('declares no resizes if its replaced runtime has none', async () => {
    const runtime: PartReplacements['runtime'] = (_, createDefault) => {
      const { isPodResizeInProgress, actuatedPod, ...others } = createDefault() as Runtime & ResizableRuntime;
      return others;
    };
    const member = await joined({ agent: { parts: { runtime } } });
    expect(member.node()?.status?.declaredFeatures).toEqual([]);
    expect(await member.end()).toBe(0);
  });

  it('has its lease from the start, and registers without a warning', async () => {
    const member = await joined();
    const { logger } = member;
    await member.clock.advance(1_000);
    expect(member.server.objects.get('leases', 'node', 'kube-node-lease')).toBeDefined();
    expect([logger.messages('warn'), logger.messages('error')]).toEqual([[], []]);
    expect(await member.end()).toBe(0);
  });

  it('sends only leases, a status every five minutes, and renewed watches while idle', async () => {
    const member = await joined();
    await member.clock.advance(60_000);
    member.requests.length = 0;
    await member.clock.advance(3_600_000);
    expect(member.calls(/^put leases$/)).toBeGreaterThanOrEqual(340);
    expect(member.calls(/^put leases$/)).toBeLessThanOrEqual(361);
    expect(member.calls(/^patch nodes\/status$/)).toBeGreaterThanOrEqual(8);
    expect(member.calls(/^patch nodes\/status$/)).toBeLessThanOrEqual(25);
    // Of pods, the node, services and runtime classes, each for 5 to 10 minutes.
    expect(member.calls(/^watch /)).toBeLessThanOrEqual(4 * 12);
    expect(member.calls(/^(?!put leases|patch nodes|watch )/)).toBe(0);
    const lease = member.server.objects.get<Lease>('leases', 'node', 'kube-node-lease');
    expect(lease).toMatchObject({ spec: { holderIdentity: 'node', leaseDurationSeconds: 40 } });
    await member.end();
  });

  it('reports volumes in use, and passes the reported ones to its volume manager', async () => {
    const known: string[][] = [];
    const volumeManager = {
      waitForAttachAndMount: async () => {},
      waitForUnmount: async () => {},
      getMountedVolumesForPod: () => new Map(),
      hasPossiblyMountedVolumesForPod: () => false,
      getVolumesInUse: () => ['kubernetes.io/csi/driver^v1'],
      markVolumesAsReportedInUse: (names: readonly string[]) => void known.push([...names]),
      reconcilerStatesHasBeenSynced: () => true,
    };
    const member = await joined({ agent: { parts: { volumeManager: () => volumeManager } } });
    await member.clock.advance(60_000);
    expect(member.node()?.status?.volumesInUse).toEqual(['kubernetes.io/csi/driver^v1']);
    expect(known.at(-1)).toEqual(['kubernetes.io/csi/driver^v1']);
    await member.end();
  });

  it('reports an unreachable runtime after half a minute, and its recovery', async () => {
    const member = await joined();
    const { clock, memory } = member;
    memory.crash();
    await clock.until(() => conditionOf(member.node(), 'Ready') === 'False', 50_000);
    memory.restart();
    await clock.until(() => conditionOf(member.node(), 'Ready') === 'True', 20_000);
    await member.end();
  });

  it('reports a hanging runtime, and keeps renewing its lease', async () => {
    const member = await joined();
    const { clock, memory } = member;
    for (const method of ['status', 'listImages', 'version'] as const)
      memory.fault({ method, hang: true, times: Number.POSITIVE_INFINITY });
    await clock.until(() => conditionOf(member.node(), 'Ready') === 'False', 60_000);
    expect(member.node()?.status?.conditions?.at(-1)).toMatchObject({
      reason: 'KubeletNotReady',
      message: expect.stringContaining('container runtime is down'),
    });
    member.requests.length = 0;
    await clock.advance(60_000);
    expect(member.calls(/^put leases$/)).toBeGreaterThanOrEqual(5);
    expect(await member.end()).toBe(0);
  });

  it('is registered although the runtime hangs from the start', async () => {
    const member = await createTestMember();
    for (const method of ['status', 'listImages', 'version'] as const)
      member.memory.fault({ method, hang: true, times: Number.POSITIVE_INFINITY });
    await member.clock.run(member.agent.start());
    await member.clock.until(() => conditionOf(member.node(), 'Ready') === 'False', 30_000);
    expect(await member.end()).toBe(0);
  });

  it('is not re-created after a deletion, and its pods keep running, until the agent restarts', async () => {
    const member = await joined();
    const { clock, server } = member;
    server.objects.create(userPod('web'));
    await untilReady(member, 'web');
    server.objects.delete('nodes', 'node');
    member.requests.length = 0;
    await clock.advance(600_000);
    expect(member.node()).toBeUndefined();
    expect(running(member)).toEqual(['web']);
    expect(member.calls(/^post nodes$/)).toBe(0);
    expect(member.requests.length).toBeLessThan(600);
    await member.agent.stop();

    const { memory, files, podDirs } = member;
    const next = await joined({ clock, server, agent: { memory, files, podDirs } });
    expect(next.node()?.metadata?.name).toBe('node');
    await clock.advance(10_000);
    expect(running(next)).toEqual(['web']);
    expect(next.pod('web')?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await next.end();
  });
});

describe('a pod of the cluster', () => {
  it('is bound, runs, is reported with its events, terminates within its grace period and is deleted', async () => {
    const member = await joined();
    const { clock, server, memory } = member;
    memory.script({ pod: 'web' }, { onStop: { afterMs: 4_000 } });
    server.objects.create(userPod('web'));
    await untilReady(member, 'web');
    expect(member.pod('web')).toMatchObject({
      spec: { nodeName: 'node' },
      status: { phase: 'Running', hostIP: '192.0.2.1', podIP: '10.88.0.2' },
    });
    expect(member.calls(/^patch pods\/status$/)).toBeLessThanOrEqual(3);
    await clock.advance(1_000);
    const events = server.objects
      .list<Event>('events')
      .filter(({ involvedObject, source }) => involvedObject.name === 'web' && source?.component === 'kubelet');
    expect(events.map(({ reason, source }) => `${reason} ${source?.host}`)).toEqual(['Pulled node', 'Created node', 'Started node']);

    server.objects.delete('pods', 'web');
    await clock.advance(3_000);
    expect(member.pod('web')?.metadata?.deletionGracePeriodSeconds).toBe(30);
    expect(member.calls(/^delete pods$/)).toBe(0);
    await clock.until(() => member.pod('web') === undefined, 10_000);
    expect(running(member)).toEqual([]);
    expect(member.calls(/^delete pods$/)).toBe(1);
    await member.end();
  });

  it('gets its environment from secrets, config maps and services, and waits for those that are missing', async () => {
    const member = await joined();
    const { clock, server, memory } = member;
    server.objects.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, stringData: { password: 'hunter2' } } as never);
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'api' },
      spec: { clusterIP: '10.0.0.9', ports: [{ port: 80 }] },
    };
    server.objects.create(service as never);
    const env = [
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
      { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'config', key: 'mode' } } },
    ];
    server.objects.create(userPod('web', { container: { env } }));
    await clock.until(() => member.eventLines('web').some((line) => line.includes('configmap "config" not found')), 30_000);
    await clock.advance(2_000);
    expect(member.pod('web')?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('CreateContainerConfigError');

    server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'config' }, data: { mode: 'fast' } } as never);
    await untilReady(member, 'web', 120_000);
    const request = memory.calls.findLast(({ method }) => method === 'createContainer')?.request as {
      config: { envs: { key: string; value: Uint8Array }[] };
    };
    const given = Object.fromEntries(request.config.envs.map(({ key, value }) => [key, new TextDecoder().decode(value)]));
    expect(given).toMatchObject({ PASSWORD: 'hunter2', MODE: 'fast', API_SERVICE_HOST: '10.0.0.9', API_SERVICE_PORT: '80' });
    await member.end();
  });

  it('of a runtime class gets its handler', async () => {
    const member = await joined();
    const { clock, server, memory } = member;
    server.objects.create({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'sandboxed' },
      handler: 'kata',
    } as never);
    server.objects.create(userPod('box', { runtimeClassName: 'sandboxed' }));
    const handlers = () =>
      memory.calls.flatMap(({ method, request }) =>
        method === 'runPodSandbox' ? [(request as { runtimeHandler?: string }).runtimeHandler] : [],
      );
    await clock.until(() => handlers().length > 0, 60_000);
    expect(handlers()).toEqual(['kata']);
    await member.end();
  });
});

describe('a static pod', () => {
  it('has a mirror pod owned by the registered node, and survives its deletion', async () => {
    const annotations = { 'kubernetes.io/config.hash': 'hash-1' };
    const member = await createTestMember({
      staticPods: [
        userPod('etcd-node', { nodeName: 'node', enableServiceLinks: true }, { namespace: 'default', uid: 'hash-1', annotations }),
      ],
    });
    await member.agent.start();
    await untilReady(member, 'etcd-node');
    const mirror = member.pod('etcd-node') as Pod;
    expect(mirror.metadata).toMatchObject({
      annotations: { 'kubernetes.io/config.mirror': 'hash-1' },
      ownerReferences: [{ kind: 'Node', name: 'node', uid: member.node()?.metadata?.uid, controller: true }],
    });
    member.server.objects.delete('pods', 'etcd-node', { gracePeriodSeconds: 0 });
    await member.clock.until(() => (member.pod('etcd-node')?.metadata?.uid ?? mirror.metadata?.uid) !== mirror.metadata?.uid, 120_000);
    await untilReady(member, 'etcd-node');
    expect(running(member)).toEqual(['etcd-node']);
    expect(member.pod('etcd-node')?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await member.end();
  });
});
