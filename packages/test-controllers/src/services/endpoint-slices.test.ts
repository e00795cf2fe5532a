import type { Node, Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { reconcileEndpointSlices } from './endpoint-slices.js';
import type { EndpointSlice, ServiceObject } from './objects.js';

const nodes: Node[] = ['n1', 'n2', 'n3'].map((name, i) => ({
  metadata: { name, labels: { 'topology.kubernetes.io/zone': `z${i + 1}` } },
  status: { allocatable: { cpu: '1' }, conditions: [{ type: 'Ready', status: 'True' }] },
}));

const service = (spec: Partial<ServiceObject['spec']> = {}): ServiceObject => ({
  metadata: { name: 'shop', namespace: 'default', uid: 'u', labels: { team: 'a' } },
  spec: { selector: { app: 'shop' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
});

const pod = (
  name: string,
  change: { ready?: boolean; deleted?: boolean; phase?: string; ips?: string[]; spec?: Pod['spec']; app?: string } = {},
): Pod => ({
  metadata: {
    ...{ name, namespace: 'default', uid: `uid-${name}`, labels: { app: change.app ?? 'shop' } },
    ...(change.deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: { containers: [], nodeName: 'n1', ...change.spec },
  status: {
    phase: change.phase ?? 'Running',
    podIPs: (change.ips ?? ['10.0.0.1']).map((ip) => ({ ip })),
    conditions: [{ type: 'Ready', status: change.ready === false ? 'False' : 'True' }],
  },
});

const created = (of: ServiceObject, pods: Pod[]): EndpointSlice[] =>
  reconcileEndpointSlices({ service: of, pods, nodes, slices: [] }).writes.map(({ verb, object }) => {
    expect(verb).toBe('create');
    return object;
  });

describe('the conditions of an endpoint', () => {
  const cases: [
    what: string,
    change: object,
    spec: Partial<ServiceObject['spec']>,
    ready: boolean,
    serving: boolean,
    terminating: boolean,
  ][] = [
    ['a ready pod', {}, {}, true, true, false],
    ['a pod that is not ready', { ready: false }, {}, false, false, false],
    ['a terminating pod that still serves', { deleted: true }, {}, false, true, true],
    ['a terminating pod that is not ready', { deleted: true, ready: false }, {}, false, false, true],
    ['a pod that is published before it is ready', { ready: false }, { publishNotReadyAddresses: true }, true, false, false],
    ['a terminating pod that is published', { deleted: true }, { publishNotReadyAddresses: true }, true, true, true],
  ];
  it.each(cases)('of %s', (_, change, spec, ready, serving, terminating) => {
    const [slice] = created(service(spec), [pod('a', change)]);
    expect(slice?.endpoints[0]?.conditions).toEqual({ ready, serving, terminating });
  });
});

describe('a Service', () => {
  it('gets a slice with its labels, its ports and its pods by name', () => {
    const pods = [
      pod('b', { ips: ['10.0.0.2'] }),
      pod('a'),
      pod('other', { app: 'x' }),
      pod('done', { phase: 'Succeeded' }),
      pod('new', { ips: [] }),
    ];
    const [write] = reconcileEndpointSlices({ service: service(), pods, nodes, slices: [] }).writes;
    const endpoint = (name: string, address: string) => ({
      addresses: [address],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: 'n1',
      zone: 'z1',
      targetRef: { kind: 'Pod', namespace: 'default', name, uid: `uid-${name}` },
    });
    expect(write?.object).toEqual({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: expect.stringMatching(/^shop-[a-z0-9]{5}$/),
        generateName: 'shop-',
        namespace: 'default',
        labels: {
          team: 'a',
          'kubernetes.io/service-name': 'shop',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'shop', uid: 'u', controller: true, blockOwnerDeletion: true }],
      },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: [endpoint('a', '10.0.0.1'), endpoint('b', '10.0.0.2')],
    });
  });

  const named = (name: string, containerPort: number) =>
    pod(name, { spec: { containers: [{ name: 'c', ports: [{ name: 'http', containerPort }] }] } });
  const shapes: [what: string, of: ServiceObject, pods: Pod[], slices: [type: string, ports: number[], pods: string[]][]][] = [
    ['without pods gets an empty slice', service(), [], [['IPv4', [], []]]],
    ['without a selector gets none', service({ selector: {} }), [pod('a')], []],
    ['of another name gets none', service({ type: 'ExternalName' }), [pod('a')], []],
    ['without a target port uses its own', service({ ports: [{ port: 80 }] }), [pod('a')], [['IPv4', [80], ['a']]]],
    [
      'with a named port gets a slice for each number',
      service({ ports: [{ port: 80, targetPort: 'http' }] }),
      [named('a', 8080), named('b', 9090), named('c', 8080), pod('d')],
      [
        ['IPv4', [8080], ['a', 'c']],
        ['IPv4', [9090], ['b']],
        ['IPv4', [], ['d']],
      ],
    ],
    [
      'of two families gets slices of both',
      service({ ipFamilies: ['IPv6', 'IPv4'] }),
      [pod('a', { ips: ['10.0.0.1', 'fd00::1'] }), pod('b', { ips: ['10.0.0.2'] })],
      [
        ['IPv6', [8080], ['a']],
        ['IPv4', [8080], ['a', 'b']],
      ],
    ],
    [
      'of 250 pods gets three slices',
      service(),
      Array.from({ length: 250 }, (_, n) => pod(`p${100 + n}`)),
      [0, 100, 200].map((from) => ['IPv4', [8080], Array.from({ length: Math.min(100, 250 - from) }, (_, n) => `p${100 + from + n}`)]),
    ],
  ];
  it.each(shapes)('%s', (_, of, pods, expected) => {
    const slices = created(of, pods);
    expect(
      slices.map(({ addressType, ports, endpoints }) => [
        addressType,
        ports.map(({ port }) => port),
        endpoints.map((each) => each.targetRef?.name),
      ]),
    ).toEqual(expected);
    expect(new Set(slices.map(({ metadata }) => metadata.name)).size).toBe(slices.length);
  });

  it('without a cluster IP marks its slices and names its pods', () => {
    const spec = { containers: [], hostname: 'shop-0', subdomain: 'shop' };
    const [slice] = created(service({ clusterIP: 'None' }), [pod('a', { spec }), pod('b', { spec: { ...spec, subdomain: 'other' } })]);
    expect(slice?.metadata.labels).toHaveProperty(['service.kubernetes.io/headless'], '');
    expect(slice?.endpoints.map(({ hostname }) => hostname)).toEqual(['shop-0', undefined]);
  });
});

const writesAfter = (slices: EndpointSlice[], of: ServiceObject, pods: Pod[]) =>
  reconcileEndpointSlices({ service: of, pods, nodes, slices }).writes;

it('writes what has changed only, and leaves the slices of others', () => {
  const [slice] = created(service(), [pod('a')]) as [EndpointSlice];
  const other: EndpointSlice = { ...slice, metadata: { name: 'custom', labels: { 'kubernetes.io/service-name': 'shop' } } };
  const after = (of: ServiceObject, pods: Pod[]) => writesAfter([slice, other], of, pods);
  expect(after(service(), [pod('a')])).toEqual([]);
  expect(after(service(), [pod('a', { ready: false })])).toMatchObject([{ verb: 'update', object: { metadata: slice.metadata } }]);
  expect(after(service({ ports: [{ port: 80, targetPort: 9090 }] }), [pod('a')])).toMatchObject([
    { verb: 'update', object: { metadata: { name: slice.metadata.name }, ports: [{ port: 9090 }] } },
  ]);
  expect(after({ ...service(), metadata: { ...service().metadata, labels: { team: 'b' } } }, [pod('a')])).toMatchObject([
    { verb: 'update', object: { metadata: { name: slice.metadata.name, labels: { team: 'b' } } } },
  ]);
  const [empty] = after(service(), []).map(({ object }) => object) as [EndpointSlice];
  expect(empty).toMatchObject({ metadata: { name: slice.metadata.name }, ports: [], endpoints: [] });
  expect(writesAfter([empty], service(), [])).toEqual([]);
});

it('keeps endpoints in their slices, and fills the slices that change anyway', () => {
  const pods = Array.from({ length: 250 }, (_, n) => pod(`p${100 + n}`));
  const slices = created(service(), pods);
  const names = slices.map(({ metadata }) => metadata.name);
  const [write, ...more] = writesAfter(slices, service(), [...pods.slice(1), pod('p999')]);
  expect([write?.verb, write?.object.metadata.name, more]).toEqual(['update', names[0], []]);
  expect(write?.object.endpoints.at(-1)?.targetRef?.name).toBe('p999');
  expect(writesAfter(slices, service(), [...pods, pod('p999')]).map(({ object }) => object.metadata.name)).toEqual([names[2]]);
  const many = Array.from({ length: 60 }, (_, n) => pod(`q${100 + n}`));
  expect(writesAfter(slices, service(), [...pods, ...many]).map(({ verb, object }) => [verb, object.endpoints.length])).toEqual([
    ['create', 60],
  ]);
});

it('replaces the slices of an earlier Service of the same name, and leaves out pods whose node is missing', () => {
  const slices = created({ ...service(), metadata: { ...service().metadata, uid: 'earlier' } }, [pod('a')]);
  expect(writesAfter(slices, service(), [pod('a')]).map(({ verb }) => verb)).toEqual(['create', 'delete']);
  const lost = pod('a', { spec: { containers: [], nodeName: 'missing' } });
  expect(created(service(), [lost])[0]?.endpoints).toEqual([]);
  expect(created(service({ publishNotReadyAddresses: true }), [lost])[0]?.endpoints).toHaveLength(1);
});

describe('the hints of endpoints', () => {
  const on = (name: string, node: string) => pod(name, { ips: [`10.0.0.${name.length}`], spec: { containers: [], nodeName: node } });
  const hintsOf = (slices: EndpointSlice[]) =>
    slices.flatMap(({ endpoints }) => endpoints.map(({ hints }) => [hints?.forZones?.[0]?.name, hints?.forNodes?.[0]?.name]));
  const auto = { ...service(), metadata: { ...service().metadata, annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } } };
  const plan = (of: ServiceObject, pods: Pod[], wasHinted = false, slices: EndpointSlice[] = []) =>
    reconcileEndpointSlices({ service: of, pods, nodes, slices, wasHinted });

  it.each([
    ['PreferClose', ['z1', undefined]],
    ['PreferSameZone', ['z1', undefined]],
    ['PreferSameNode', ['z1', 'n1']],
    [undefined, [undefined, undefined]],
  ])('with the traffic distribution %s are those of the pod', (trafficDistribution, expected) => {
    expect(hintsOf(created(service({ ...(trafficDistribution && { trafficDistribution }) }), [pod('a')]))).toEqual([expected]);
    expect(hintsOf(created(service({ ...(trafficDistribution && { trafficDistribution }) }), [pod('a', { ready: false })]))).toEqual([
      [undefined, undefined],
    ]);
  });

  it('follow the CPU of the zones with the topology mode Auto', () => {
    const pods = [on('a', 'n1'), on('bb', 'n1'), on('ccc', 'n1'), on('dddd', 'n1'), on('eeeee', 'n2'), on('ffffff', 'n3')];
    const { writes, events, isHinted } = plan(auto, pods);
    const slices = writes.map(({ object }) => object);
    expect(
      hintsOf(slices)
        .map(([zone]) => zone)
        .sort(),
    ).toEqual(['z1', 'z1', 'z2', 'z2', 'z3', 'z3']);
    expect([isHinted, events]).toEqual([
      true,
      [{ type: 'Normal', reason: 'TopologyAwareHintsEnabled', message: 'Topology Aware Hints has been enabled, addressType: IPv4' }],
    ]);
    expect(plan(auto, pods, true, slices)).toEqual({ writes: [], events: [], isHinted: true });
    const without = plan(service(), pods, true, slices);
    expect(without.writes.flatMap(({ object }) => hintsOf([object])).every(([zone]) => zone === undefined)).toBe(true);
    expect(without.events).toMatchObject([{ reason: 'TopologyAwareHintsDisabled' }]);
  });

  it.each([
    [[on('a', 'n1')], 'Insufficient number of endpoints (1 endpoints, 3 zones), addressType: IPv4'],
    [
      [on('a', 'n1'), on('bb', 'n1'), on('ccc', 'n2'), on('dddd', 'n2')],
      'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (4 endpoints, 3 zones), addressType: IPv4',
    ],
  ])('are refused for too few endpoints (%#)', (pods, message) => {
    expect(plan(auto, pods)).toMatchObject({
      isHinted: false,
      events: [{ type: 'Warning', reason: 'TopologyAwareHintsDisabled', message }],
    });
  });
});
