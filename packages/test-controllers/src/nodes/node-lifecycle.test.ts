import type { KubeObject, Node, Pod, Taint } from '@nodeagent/api';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import type { ClusterStore } from './cluster-store.js';
import { PodGc } from './pod-gc.js';
import { PodsByNode } from './pods-by-node.js';
import { evictionDelayMs } from './taint-eviction.js';

interface TestNode {
  labels?: Record<string, string>;
  taints?: Taint[];
}

const podOf = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'nginx' }], ...spec },
});

interface PodEvent {
  type: string;
  object: Pod;
}

/** Collects the events of pods. */
async function watchPods(server: TestApiServer): Promise<PodEvent[]> {
  const { body } = await server.handle({ url: '/api/v1/namespaces/default/pods?watch=true' });
  const events: PodEvent[] = [];
  const gather = async () => {
    for await (const piece of body as AsyncIterable<string>) {
      for (const line of piece.split('\n').filter(Boolean)) events.push(JSON.parse(line) as PodEvent);
    }
  };
  void gather();
  return events;
}

/** A server with its node controllers, and nodes that renew their leases every ten seconds. */
function aCluster() {
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock, random: seededRandom(1), nodeLifecycle: true });
  const { objects } = server;
  const alive = new Set<string>();
  const renew = async () => {
    for (const name of alive) {
      objects.update<KubeObject & { spec?: { renewTime?: string } }>(
        'leases',
        name,
        (lease) => {
          lease.spec = { renewTime: new Date(clock.now()).toISOString() };
        },
        { namespace: 'kube-node-lease' },
      );
    }
  };
  const setReady = (name: string, status: string) =>
    objects.update<Node>(
      'nodes',
      name,
      (node) => {
        node.status = { conditions: [{ type: 'Ready', status, lastHeartbeatTime: new Date(clock.now()).toISOString() }] };
      },
      { subresource: 'status' },
    );
  return {
    clock,
    server,
    objects,
    alive,
    setReady,
    addNode(name: string, { labels, taints }: TestNode = {}) {
      objects.create({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, ...(labels && { labels }) },
        ...(taints && { spec: { taints } }),
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      } as KubeObject);
      objects.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace: 'kube-node-lease' } });
      alive.add(name);
    },
    addPod: (name: string, nodeName: string, spec: object = {}) => objects.create<Pod>(podOf(name, { nodeName, ...spec }) as Pod),
    async advance(seconds: number) {
      for (let n = 0; n < seconds; n += 10) {
        await clock.advance(10_000);
        await renew();
      }
    },
    taints: (name: string) => (objects.get<Node>('nodes', name)?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`),
    ready: (name: string) => objects.get<Node>('nodes', name)?.status?.conditions?.find(({ type }) => type === 'Ready'),
  };
}

const evicting = 'node.kubernetes.io/unreachable:NoExecute';
const names = (count: number, prefix = 'n') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the node controller', () => {
  it('marks a node that never posted its status after a minute', async () => {
    const { objects, clock, ready, taints } = aCluster();
    objects.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    expect(taints('n')).toEqual(['node.kubernetes.io/not-ready:NoSchedule']);
    await clock.advance(60_000);
    expect(ready('n')).toBeUndefined();
    await clock.advance(5_000);
    expect(ready('n')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' });
    expect(taints('n')).toEqual(['node.kubernetes.io/unreachable:NoSchedule']);
  });

  it('adds the taint that evicts pods within the tenth of a second after the condition', async () => {
    const { addNode, alive, clock, advance, ready, taints } = aCluster();
    for (const name of names(2)) addNode(name);
    await advance(10);
    alive.delete('n0');
    await advance(50);
    expect(ready('n0')?.status).toBe('True');
    await clock.advance(5_000);
    expect([ready('n0')?.status, taints('n0')]).toEqual(['Unknown', ['node.kubernetes.io/unreachable:NoSchedule']]);
    await clock.advance(100);
    expect(taints('n0')).toContain(evicting);
  });

  it('keeps a node that renews its lease although it posts no status', async () => {
    const { addNode, advance, ready } = aCluster();
    addNode('n');
    await advance(600);
    expect(ready('n')?.status).toBe('True');
  });

  it('taints a node by its conditions and its cordon, and keeps the taints of others', async () => {
    const { addNode, objects, taints } = aCluster();
    addNode('n', { taints: [{ key: 'mine', effect: 'NoSchedule' }] });
    objects.update<Node>('nodes', 'n', (node) => {
      node.spec = { ...node.spec, unschedulable: true };
    });
    objects.update<Node>(
      'nodes',
      'n',
      ({ status }) =>
        void status?.conditions?.push({ type: 'DiskPressure', status: 'True' }, { type: 'MemoryPressure', status: 'Unknown' }),
      { subresource: 'status' },
    );
    expect(taints('n')).toEqual([
      'mine:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
      'node.kubernetes.io/disk-pressure:NoSchedule',
    ]);
    objects.update<Node>('nodes', 'n', (node) => void delete node.spec?.unschedulable);
    expect(taints('n')).toEqual(['mine:NoSchedule', 'node.kubernetes.io/disk-pressure:NoSchedule']);
  });

  it('replaces the evicting taint when a lost node reports that it is not ready', async () => {
    const { addNode, alive, advance, setReady, taints } = aCluster();
    for (const name of names(2)) addNode(name);
    alive.delete('n0');
    await advance(70);
    expect(taints('n0')).toEqual(['node.kubernetes.io/unreachable:NoSchedule', evicting]);
    setReady('n0', 'False');
    alive.add('n0');
    await advance(10);
    expect(taints('n0').sort()).toEqual(['node.kubernetes.io/not-ready:NoExecute', 'node.kubernetes.io/not-ready:NoSchedule']);
    setReady('n0', 'True');
    await advance(10);
    expect(taints('n0')).toEqual([]);
  });

  it('evicts from one node of a zone every ten seconds', async () => {
    const { addNode, alive, advance, taints } = aCluster();
    for (const name of names(10)) addNode(name);
    const east = { 'topology.kubernetes.io/zone': 'east' };
    for (const name of names(2, 'e')) addNode(name, { labels: east });
    for (const name of ['n0', 'n1', 'n2', 'e0']) alive.delete(name);
    const tainted = () => [...names(10), ...names(2, 'e')].filter((name) => taints(name).includes(evicting));
    await advance(60);
    expect(tainted()).toEqual(['n0', 'e0']);
    await advance(10);
    expect(tainted()).toEqual(['n0', 'n1', 'e0']);
    await advance(10);
    expect(tainted()).toEqual(['n0', 'n1', 'n2', 'e0']);
  });

  it('moves a node that waits for its eviction with its label to another zone', async () => {
    const { addNode, alive, advance, objects, taints } = aCluster();
    for (const name of names(10)) addNode(name);
    for (const name of ['n0', 'n1', 'n2']) alive.delete(name);
    await advance(60);
    objects.update<Node>('nodes', 'n2', ({ metadata }) => {
      if (metadata) metadata.labels = { 'topology.kubernetes.io/zone': 'east' };
    });
    await advance(10);
    expect(names(3).map((name) => taints(name).includes(evicting))).toEqual([true, true, true]);
  });

  it('stops evictions in a small zone of which most nodes are lost', async () => {
    const { addNode, alive, advance, taints } = aCluster();
    for (const name of names(5)) addNode(name);
    for (const name of names(4)) alive.delete(name);
    await advance(600);
    expect(names(5).filter((name) => taints(name).includes(evicting))).toEqual([]);
  });

  it('stops evictions while all nodes are lost, and resumes them when one is ready again', async () => {
    const { addNode, alive, advance, setReady, taints } = aCluster();
    for (const name of names(2)) addNode(name);
    alive.delete('n0');
    await advance(70);
    expect(taints('n0')).toContain(evicting);
    alive.delete('n1');
    await advance(70);
    expect(names(2).map((name) => taints(name).includes(evicting))).toEqual([false, false]);
    setReady('n1', 'True');
    alive.add('n1');
    await advance(20);
    expect(names(2).map((name) => taints(name).includes(evicting))).toEqual([true, false]);
  });

  it('does nothing while all nodes are healthy', async () => {
    const { addNode, advance, server, clock } = aCluster();
    for (const name of names(50)) addNode(name);
    await advance(10);
    const before = server.revision;
    await advance(100);
    expect(server.revision - before).toBe(50 * 10);
    expect(clock.pending).toBeLessThanOrEqual(2);
    await server.close();
    expect(clock.pending).toBe(0);
  });
});

describe('the eviction by taints', () => {
  const maintenance: Taint = { key: 'maintenance', effect: 'NoExecute' };
  const setTaints = ({ objects }: ReturnType<typeof aCluster>, taints: Taint[]) =>
    objects.update<Node>('nodes', 'n', (node) => {
      node.spec = { ...node.spec, taints };
    });
  const isDeleted = ({ objects }: ReturnType<typeof aCluster>, name: string) =>
    objects.get<Pod>('pods', name)?.metadata?.deletionTimestamp !== undefined;
  const tolerating = (tolerationSeconds?: number) => ({
    tolerations: [
      { key: 'maintenance', operator: 'Exists', effect: 'NoExecute', ...(tolerationSeconds !== undefined && { tolerationSeconds }) },
    ],
  });

  it('deletes pods that do not tolerate a taint at once, others after their time, and others never', async () => {
    const cluster = aCluster();
    cluster.addNode('n');
    cluster.addPod('none', 'n');
    cluster.addPod('minute', 'n', tolerating(60));
    cluster.addPod('ever', 'n', tolerating());
    setTaints(cluster, [maintenance]);
    const deleted = () => ['none', 'minute', 'ever'].filter((name) => isDeleted(cluster, name));
    expect(deleted()).toEqual(['none']);
    expect(cluster.objects.get<Pod>('pods', 'none')?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', reason: 'DeletionByTaintManager', status: 'True' }),
    );
    await cluster.advance(50);
    cluster.addPod('late', 'n', tolerating(60));
    await cluster.advance(10);
    expect(deleted()).toEqual(['none', 'minute']);
    expect(isDeleted(cluster, 'late')).toBe(false);
    await cluster.advance(600);
    expect(isDeleted(cluster, 'late')).toBe(true);
    expect(isDeleted(cluster, 'ever')).toBe(false);
  });

  it('keeps a pod whose taint is removed in time', async () => {
    const cluster = aCluster();
    cluster.addNode('n');
    cluster.addPod('minute', 'n', tolerating(60));
    setTaints(cluster, [maintenance]);
    await cluster.advance(50);
    setTaints(cluster, []);
    await cluster.advance(600);
    expect(isDeleted(cluster, 'minute')).toBe(false);
  });
});

describe('the garbage collection of pods', () => {
  const lose = ({ alive, objects }: ReturnType<typeof aCluster>, name: string) => {
    alive.delete(name);
    objects.delete('nodes', name);
  };

  it('fails and deletes the pods of a deleted node after its quarantine', async () => {
    const cluster = aCluster();
    cluster.addNode('n');
    cluster.addPod('web', 'n');
    const events = await watchPods(cluster.server);
    lose(cluster, 'n');
    await cluster.advance(50);
    expect(cluster.objects.get('pods', 'web')).toBeDefined();
    await cluster.advance(20);
    expect(cluster.objects.get('pods', 'web')).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
    expect(events[1]?.object.status).toMatchObject({ phase: 'Failed', conditions: [target] });
  });

  it('keeps the pods of a node that returns in time', async () => {
    const cluster = aCluster();
    cluster.addNode('n');
    cluster.addPod('web', 'n');
    lose(cluster, 'n');
    await cluster.advance(30);
    cluster.objects.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    await cluster.advance(300);
    expect(cluster.objects.get<Pod>('pods', 'web')?.status?.phase).toBe('Pending');
  });

  it('deletes the pods of a node that never existed', async () => {
    const cluster = aCluster();
    cluster.addPod('web', 'nowhere');
    await cluster.advance(70);
    expect(cluster.objects.get('pods', 'web')).toBeUndefined();
  });

  it('deletes terminating pods of a node that is out of service, once it is not ready', async () => {
    const cluster = aCluster();
    cluster.addNode('n');
    cluster.addNode('other');
    cluster.addPod('web', 'n');
    cluster.objects.update<Node>('nodes', 'n', (node) => {
      node.spec = { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'shutdown', effect: 'NoExecute' }] };
    });
    await cluster.advance(60);
    expect(cluster.objects.get<Pod>('pods', 'web')?.metadata?.deletionTimestamp).toBeDefined();
    cluster.alive.delete('n');
    await cluster.advance(90);
    expect(cluster.objects.get('pods', 'web')).toBeUndefined();
  });

  it('fails terminating pods that were never bound', async () => {
    const cluster = aCluster();
    cluster.objects.create(podOf('web', {}, { finalizers: ['example.com/mine'] }) as KubeObject);
    cluster.objects.delete('pods', 'web');
    await cluster.advance(20);
    expect(cluster.objects.get<Pod>('pods', 'web')?.status?.phase).toBe('Failed');
  });

  it('deletes terminated pods beyond a number: evicted ones first, then the oldest', async () => {
    const clock = createVirtualClock();
    const stored = new Map<string, Pod>();
    const unused = () => {
      throw new Error('is not called');
    };
    const store: ClusterStore = {
      node: () => undefined,
      pod: (_namespace, name) => stored.get(name),
      deletePod: ({ metadata }) => void stored.delete(metadata?.name ?? ''),
      setTaints: unused,
      setNodeConditions: unused,
      setPodStatus: unused,
      record: unused,
    };
    const gc = new PodGc({ clock, store, pods: new PodsByNode(), threshold: 2 });
    const add = (name: string, second: number, status: Pod['status']) => {
      const pod = {
        metadata: { namespace: 'default', name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
        ...(status && { status }),
      };
      stored.set(name, pod);
      gc.affected({ type: 'ADDED', storage: '/pods', object: { apiVersion: 'v1', kind: 'Pod', ...pod } });
    };
    add('old', 1, { phase: 'Succeeded' });
    add('runs', 0, { phase: 'Running' });
    add('middle', 2, { phase: 'Failed' });
    expect(clock.pending).toBe(0);
    add('new', 3, { phase: 'Succeeded' });
    add('evicted', 4, { phase: 'Failed', reason: 'Evicted' });
    await clock.advance(20_000);
    expect([...stored.keys()]).toEqual(['runs', 'middle', 'new']);
  });
});

describe('evictionDelayMs', () => {
  const taint = (key: string): Taint => ({ key, effect: 'NoExecute' });
  it.each([
    ['nothing without taints', [], [], undefined],
    ['an untolerated taint', [taint('a'), taint('b')], [{ key: 'a', operator: 'Exists' }], 0],
    [
      'the shortest time',
      [taint('a'), taint('b')],
      [
        { key: 'a', operator: 'Exists', tolerationSeconds: 9 },
        { operator: 'Exists', tolerationSeconds: 5 },
      ],
      5_000,
    ],
    ['a negative time', [taint('a')], [{ operator: 'Exists', tolerationSeconds: -1 }], 0],
    [
      'the first toleration that fits',
      [taint('a')],
      [{ operator: 'Exists' }, { key: 'a', operator: 'Exists', tolerationSeconds: 1 }],
      undefined,
    ],
  ])('follows %s', (_, taints, tolerations, delayMs) => expect(evictionDelayMs(taints, tolerations)).toBe(delayMs));
});
