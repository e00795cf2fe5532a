import type { CSINode, ObjectChange } from '@nodeagent/api';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createKubeClient, type KubeClient } from './client.js';
import { bookmark, type OpenBody, openBody, type ScriptedResponse, scriptedTransport, watchLine } from './fixtures/scripted-transport.js';

/** A CSINode as Go writes it: lists without `omitempty` as null. */
const sent = {
  kind: 'CSINode',
  apiVersion: 'storage.k8s.io/v1',
  metadata: { name: 'n', resourceVersion: '5', labels: null, ownerReferences: null, creationTimestamp: null },
  spec: { drivers: [{ name: 'a', nodeID: 'i', topologyKeys: null, allocatable: null }], other: null },
  status: null,
};
const received = {
  kind: 'CSINode',
  apiVersion: 'storage.k8s.io/v1',
  metadata: { name: 'n', resourceVersion: '5' },
  spec: { drivers: [{ name: 'a', nodeID: 'i' }] },
};

function setUp(answer: ScriptedResponse) {
  const clock = createVirtualClock();
  const watches: OpenBody[] = [];
  const transport = scriptedTransport(({ query, signal }) => {
    if (query.watch !== 'true') return answer;
    const body = openBody(signal);
    watches.push(body);
    return { body };
  });
  const client = createKubeClient({ cluster: { server: 'http://test' }, transport, clock, random: seededRandom(1) });
  return { clock, client, watches, requests: transport.requests };
}

const key = { name: 'n' };
const object: CSINode = { metadata: key, spec: {} };
const list = { kind: 'CSINodeList', apiVersion: 'storage.k8s.io/v1', metadata: { resourceVersion: '7', continue: null }, items: [sent] };

describe('null fields of responses are absent', () => {
  it.each<[string, (client: KubeClient) => Promise<unknown>]>([
    ['get', ({ csiNodes }) => csiNodes.get(key)],
    ['create', ({ csiNodes }) => csiNodes.create(object)],
    ['update', ({ csiNodes }) => csiNodes.update(object)],
    ['patch', ({ csiNodes }) => csiNodes.patch(key, {})],
    ['createToken', ({ serviceAccounts }) => serviceAccounts.createToken({ namespace: 'default', name: 'n' }, { spec: {} })],
    ['the create of a review', ({ tokenReviews }) => tokenReviews.create({ spec: {} })],
  ])('in the answer of %s', async (_, call) => {
    expect(await call(setUp({ body: sent }).client)).toStrictEqual(received);
  });

  it('in objects of every resource', async () => {
    const client = setUp({ body: sent }).client as unknown as Record<string, { get?(key: object): Promise<unknown> } | undefined>;
    const readable = Object.keys(client).filter((resource) => typeof client[resource]?.get === 'function');
    expect(readable).toEqual(
      expect.arrayContaining([
        'csiDrivers',
        'csiNodes',
        'nodes',
        'persistentVolumeClaims',
        'persistentVolumes',
        'pods',
        'volumeAttachments',
      ]),
    );
    for (const resource of readable) {
      expect(await client[resource]?.get?.({ namespace: 'default', name: 'n' }), resource).toStrictEqual(received);
    }
  });

  it('in a list', async () => {
    const { client } = setUp({ body: list });
    expect(await client.csiNodes.list()).toStrictEqual({ resourceVersion: '7', items: [received] });
    expect(await setUp({ body: { ...list, items: null } }).client.csiNodes.list()).toEqual({ resourceVersion: '7', items: [] });
  });

  it('in the list of an informer and in each event of its watch', async () => {
    const { client, clock, watches } = setUp({ body: list });
    const informer = client.csiNodes.informer();
    const changes: (ObjectChange<CSINode> | undefined)[] = [];
    informer.onChange((change) => changes.push(change));
    await clock.run(informer.start());
    expect(informer.list()).toStrictEqual([received]);
    const version = (resourceVersion: string) => ({ ...sent, metadata: { ...sent.metadata, resourceVersion } });
    const [watch] = watches;
    watch?.write(watchLine('MODIFIED', version('8')) + bookmark(9) + watchLine('DELETED', version('10')));
    watch?.write(watchLine('ADDED', version('11')));
    await clock.settle();
    const newer = (resourceVersion: string) => ({ ...received, metadata: { ...received.metadata, resourceVersion } });
    expect(changes.filter((change) => change !== undefined)).toStrictEqual([
      { object: received },
      { old: received, object: newer('8') },
      { old: newer('10') },
      { object: newer('11') },
    ]);
    await informer.stop();
  });
});

describe('null fields of requests', () => {
  it.each([
    ['strategic', { metadata: { annotations: { removed: null } } }],
    ['merge', { spec: { taints: null } }],
    ['json', [{ op: 'test', path: '/spec/taints', value: null }]],
  ] as const)('are sent as they are in a %s patch: they remove', async (type, patch) => {
    const { client, requests } = setUp({ body: sent });
    await client.nodes.patch(key, patch as object, { type });
    expect(JSON.parse(String(requests[0]?.body))).toStrictEqual(patch);
  });
});
