import type { Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { reconcileEndpointSlices } from './endpoint-slices.js';
import type { EndpointSlice, ServiceObject } from './objects.js';

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
  reconcileEndpointSlices({ service: of, pods, nodes: [], slices: [] }).map(({ verb, object }) => {
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
    const node = { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z1' } } };
    const pods = [
      pod('b', { ips: ['10.0.0.2'] }),
      pod('a'),
      pod('other', { app: 'x' }),
      pod('done', { phase: 'Succeeded' }),
      pod('new', { ips: [] }),
    ];
    const [write] = reconcileEndpointSlices({ service: service(), pods, nodes: [node], slices: [] });
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
        endpoints.map((each) => each.targetRef.name),
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

it('writes what has changed only, and leaves the slices of others', () => {
  const [slice] = created(service(), [pod('a')]) as [EndpointSlice];
  const other: EndpointSlice = { ...slice, metadata: { name: 'custom', labels: { 'kubernetes.io/service-name': 'shop' } } };
  const after = (of: ServiceObject, pods: Pod[]) => reconcileEndpointSlices({ service: of, pods, nodes: [], slices: [slice, other] });
  expect(after(service(), [pod('a')])).toEqual([]);
  expect(after(service(), [pod('a', { ready: false })])).toMatchObject([{ verb: 'update', object: { metadata: slice.metadata } }]);
  const moved = after(service({ ports: [{ port: 80, targetPort: 9090 }] }), [pod('a')]);
  expect(moved.map(({ verb }) => verb)).toEqual(['create', 'delete']);
  expect(after({ ...service(), metadata: { ...service().metadata, labels: { team: 'b' } } }, [pod('a')])).toMatchObject([
    { verb: 'update', object: { metadata: { name: slice.metadata.name, labels: { team: 'b' } } } },
  ]);
});
