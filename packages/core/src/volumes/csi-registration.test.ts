import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CSINode, Node } from '@nodeagent/api';
import type { CallCsiNode } from '@nodeagent/csi';
import { createCsi } from '@nodeagent/csi/node';
import { createInProcessTransport, createKubeClient } from '@nodeagent/kube-client';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';

const { signal } = new AbortController();

/** CSI of a node without drivers, whose objects an API server keeps. */
async function setUp(answered: (body: string) => string = (body) => body) {
  const rootDir = mkdtempSync(join(tmpdir(), 'csi-registration-'));
  onTestFinished(() => rmSync(rootDir, { recursive: true, force: true }));
  const clock = createVirtualClock();
  const server = createTestApiServer({ clock });
  server.objects.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
  const transport = createInProcessTransport({
    async handle(request) {
      const answer = await server.handle(request);
      return typeof answer.body === 'string' ? { ...answer, body: answered(answer.body) } : answer;
    },
  });
  const client = createKubeClient({ cluster: { server: 'http://test' }, transport, clock, random: seededRandom(1) });
  const callNode: CallCsiNode = async () => ({ nodeId: 'i-1', maxVolumesPerNode: 0n }) as never;
  const csi = createCsi({
    rootDir,
    nodeName: 'n',
    isMountPoint: async () => false,
    csiDrivers: client.csiDrivers.informer(),
    nodes: client.nodes,
    csiNodes: client.csiNodes,
    callNode,
    clock,
    random: () => 0,
  });
  onTestFinished(() => csi.stop());
  await csi.start();
  await clock.until(() => csi.notReadyReason() === undefined, 10_000);
  const drivers = () => server.objects.get<CSINode>('csinodes', 'n')?.spec.drivers;
  const annotations = () => server.objects.get<Node>('nodes', 'n')?.metadata?.annotations;
  return { clock, csi, drivers, annotations };
}

it('registers a driver on a new node, whose CSINode has null for drivers', async () => {
  const { clock, csi, drivers, annotations } = await setUp();
  expect(drivers()).toBeNull();
  await clock.run(csi.registration.register('a', '/a.sock', ['1.0.0'], signal));
  expect(drivers()).toEqual([{ name: 'a', nodeID: 'i-1', topologyKeys: null }]);
  expect(annotations()).toEqual({ 'csi.volume.kubernetes.io/nodeid': '{"a":"i-1"}' });

  await clock.run(csi.registration.deregister('a', '/a.sock', signal));
  expect(drivers()).toBeNull();
  await clock.run(csi.registration.register('a', '/a.sock', ['1.0.0'], signal));
  expect(drivers()).toHaveLength(1);
});

it.each([
  ['Node', 'metadata.annotations', (node: Node) => Object.assign(node.metadata ?? {}, { annotations: null })],
  ['Node', 'metadata.labels', (node: Node) => Object.assign(node.metadata ?? {}, { labels: null })],
  ['CSINode', 'metadata.ownerReferences', (node: CSINode) => Object.assign(node.metadata ?? {}, { ownerReferences: null })],
  ['CSINode', 'spec.drivers', (node: CSINode) => Object.assign(node.spec, { drivers: null })],
  ['CSINode', 'spec.drivers[].allocatable', (node: CSINode) => node.spec.drivers?.map((of) => Object.assign(of, { allocatable: null }))],
] as const)('drivers register where the %s is answered with null for %s', async (kind, _, change) => {
  const { clock, csi, drivers } = await setUp((body) => {
    const object = JSON.parse(body);
    if (object.kind === kind) change(object);
    return JSON.stringify(object);
  });
  for (const name of ['a', 'b']) await clock.run(csi.registration.register(name, `/${name}.sock`, ['1.0.0'], signal));
  expect(drivers()?.map(({ name }) => name)).toContain('b');
});
