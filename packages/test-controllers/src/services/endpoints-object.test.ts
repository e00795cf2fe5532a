import type { Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { reconcileEndpoints, repackSubsets } from './endpoints-object.js';
import { mirrorEndpoints } from './mirror-endpoints.js';
import type { EndpointSlice, EndpointsObject, ServiceObject } from './objects.js';

const service = (spec: Partial<ServiceObject['spec']> = {}): ServiceObject => ({
  metadata: { name: 'shop', namespace: 'default', uid: 'u', labels: { team: 'a' } },
  spec: {
    selector: { app: 'shop' },
    clusterIP: '10.96.0.9',
    ports: [
      { port: 80, targetPort: 'http' },
      { name: 'admin', port: 81 },
    ],
    ...spec,
  },
});

const pod = (n: number, { port = 8080, ready = true, deleted = false } = {}): Pod => ({
  metadata: {
    ...{ name: `p${n}`, namespace: 'default', uid: `u${n}`, labels: { app: 'shop' } },
    ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  spec: { nodeName: 'n1', containers: [{ name: 'c', ports: [{ name: 'http', containerPort: port }] }] },
  status: { podIPs: [{ ip: `10.0.${n >> 8}.${n & 255}` }], conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
});

const address = (n: number) => ({
  ...{ ip: `10.0.0.${n}`, nodeName: 'n1' },
  targetRef: { kind: 'Pod', namespace: 'default', name: `p${n}`, uid: `u${n}` },
});

describe('the Endpoints of a Service', () => {
  it('have a subset for each set of addresses, with all its ports', () => {
    const after = reconcileEndpoints({ service: service(), pods: [pod(1), pod(2, { ready: false }), pod(3, { port: 9090 })] });
    expect(after).toMatchObject({ metadata: { labels: { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } } });
    expect(after?.subsets).toEqual([
      { addresses: [address(1)], notReadyAddresses: [address(2)], ports: [{ port: 8080, protocol: 'TCP' }] },
      {
        addresses: [address(1), address(3)],
        notReadyAddresses: [address(2)],
        ports: [{ name: 'admin', port: 81, protocol: 'TCP' }],
      },
      { addresses: [address(3)], ports: [{ port: 9090, protocol: 'TCP' }] },
    ]);
    expect(
      reconcileEndpoints({ service: service(), before: after, pods: [pod(1), pod(2, { ready: false }), pod(3, { port: 9090 })] }),
    ).toBe(undefined);
  });

  it('leave out terminating pods, unless addresses are published that are not ready', () => {
    const pods = [pod(1, { deleted: true }), pod(2, { ready: false })];
    expect(reconcileEndpoints({ service: service({ ports: [{ port: 80 }] }), pods })?.subsets).toEqual([
      { notReadyAddresses: [address(2)], ports: [{ port: 80, protocol: 'TCP' }] },
    ]);
    const published = service({ ports: [], clusterIP: 'None', publishNotReadyAddresses: true });
    const { subsets, metadata } = reconcileEndpoints({ service: published, pods }) as EndpointsObject;
    expect(subsets).toEqual([{ addresses: [address(1), address(2)] }]);
    expect(metadata.labels).toHaveProperty(['service.kubernetes.io/headless'], '');
  });

  it('hold 1000 addresses, those that are ready first', () => {
    const pods = Array.from({ length: 1100 }, (_, n) => pod(n, { ready: n >= 150 }));
    const { subsets = [], metadata } = reconcileEndpoints({ service: service({ ports: [{ port: 80 }] }), pods }) as EndpointsObject;
    expect([subsets[0]?.addresses?.length, subsets[0]?.notReadyAddresses?.length]).toEqual([950, 50]);
    expect(metadata.annotations).toEqual({ 'endpoints.kubernetes.io/over-capacity': 'truncated' });
  });
});

it('an address that is not ready in one subset is not ready in any with the same port', () => {
  const ports = [{ port: 80 }];
  expect(
    repackSubsets([
      { addresses: [{ ip: '10.0.0.1' }], ports },
      { notReadyAddresses: [{ ip: '10.0.0.1' }], ports },
    ]),
  ).toEqual([{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports }]);
});

describe('Endpoints that a user wrote', () => {
  const endpoints: EndpointsObject = {
    metadata: { name: 'db', namespace: 'default', uid: 'e', labels: { own: 'x' }, annotations: { note: 'y' } },
    subsets: [
      { addresses: [{ ip: '192.0.2.7' }, { ip: '2001:db8::7' }], notReadyAddresses: [{ ip: '192.0.2.8' }], ports: [{ port: 5432 }] },
    ],
  };
  const plain = service({ selector: undefined } as never);
  const mirror = (slices: EndpointSlice[] = [], change: object = {}) =>
    mirrorEndpoints({ name: 'db', endpoints, service: plain, slices, ...change }).writes;

  it('get a slice for each family', () => {
    const slices = mirror().map(({ object }) => object);
    expect(slices).toMatchObject([
      {
        metadata: {
          labels: {
            own: 'x',
            'kubernetes.io/service-name': 'db',
            'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
          },
          annotations: { note: 'y' },
          ownerReferences: [{ kind: 'Endpoints', name: 'db', uid: 'e' }],
        },
        addressType: 'IPv4',
        ports: [{ name: '', port: 5432, protocol: 'TCP' }],
        endpoints: [
          { addresses: ['192.0.2.7'], conditions: { ready: true } },
          { addresses: ['192.0.2.8'], conditions: { ready: false } },
        ],
      },
      { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::7'] }] },
    ]);
    expect(mirror(slices)).toEqual([]);
    const moved = { ...endpoints, subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 5433 }] }] };
    expect(mirror(slices, { endpoints: moved }).map(({ verb, object }) => [verb, object.metadata.name])).toEqual([
      ['update', slices[0]?.metadata.name],
      ['delete', slices[1]?.metadata.name],
    ]);
  });

  it.each([
    ['without a Service', { service: undefined }],
    ['of a Service with a selector', { service: service() }],
    ['that are deleted', { endpoints: undefined }],
    [
      'that are not to be mirrored',
      { endpoints: { ...endpoints, metadata: { name: 'db', labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } } } },
    ],
  ])('%s have no slices', (_, change) => {
    const slices = mirror().map(({ object }) => object);
    expect(mirror(slices, change).map(({ verb }) => verb)).toEqual(['delete', 'delete']);
  });
});
