import { describe, expect, it } from 'vitest';
import { lookup } from './dns.js';
import type { EndpointSlice, NetworkObjects, Service } from './objects.js';
import { endpointsOfPort, serviceAt } from './service-route.js';

const service = (name: string, namespace: string, spec: Service['spec']): Service => ({ metadata: { name, namespace }, spec });

const slice = (
  name: string,
  namespace: string,
  endpoints: NonNullable<EndpointSlice['endpoints']>,
  ports = [{ name: '', port: 8080 }],
): EndpointSlice => ({
  metadata: { name: `${name}-1`, namespace, labels: { 'kubernetes.io/service-name': name } },
  ports,
  endpoints,
});
const ready = { ready: true, serving: true, terminating: false };
const unready = { ready: false, serving: false, terminating: false };
const terminating = { ready: false, serving: true, terminating: true };

const objects: NetworkObjects = {
  services: [
    service('shop', 'default', { clusterIP: '10.96.0.2' }),
    service('shop', 'other', { clusterIP: '10.96.0.3', clusterIPs: ['10.96.0.3', 'fd00::3'] }),
    service('db', 'default', { clusterIP: 'None' }),
    service('alias', 'default', { type: 'ExternalName', externalName: 'shop.other.svc.cluster.local' }),
    service('none-ready', 'default', { clusterIP: 'None' }),
    service('loop', 'default', { type: 'ExternalName', externalName: 'loop.default.svc.cluster.local' }),
  ],
  endpointSlices: [
    {
      metadata: { name: 'none-ready-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'none-ready' } },
      ports: null,
      endpoints: null,
    },
    slice('db', 'default', [
      { addresses: ['10.64.0.2'], conditions: ready, hostname: 'db-0' },
      { addresses: ['10.64.0.3'], conditions: unready, hostname: 'db-1' },
      { addresses: ['10.64.0.4'], conditions: ready },
    ]),
  ],
};

it.each([
  ['shop', ['10.96.0.2']],
  ['shop.other', ['10.96.0.3', 'fd00::3']],
  ['shop.other.svc', ['10.96.0.3', 'fd00::3']],
  ['shop.default.svc.cluster.local', ['10.96.0.2']],
  ['shop.default.svc.cluster.local.', ['10.96.0.2']],
  ['shop.', []],
  ['none', []],
  ['none-ready', []],
  ['shop.none', []],
  ['web-0.shop', []],
  ['db', ['10.64.0.2', '10.64.0.4']],
  ['db-0.db', ['10.64.0.2']],
  ['db-0.db.default.svc.cluster.local', ['10.64.0.2']],
  ['db-1.db', []],
  ['10-64-0-4.db', ['10.64.0.4']],
  ['10-64-0-9.default.pod', ['10.64.0.9']],
  ['x.default.pod', []],
  ['alias', ['10.96.0.3', 'fd00::3']],
  ['loop', []],
  ['kubernetes', ['10.96.0.1']],
  ['kubernetes.default.svc', ['10.96.0.1']],
  ['example.com', []],
])('the name %s has the addresses %j', (name, addresses) => {
  expect(lookup(name, 'default', objects)).toEqual(addresses);
});

describe('a port of a Service', () => {
  const shop = (spec: Service['spec'] = {}) => service('shop', 'default', { ports: [{ port: 80 }], ...spec });
  const endpoints = [
    { addresses: ['10.64.0.2'], conditions: ready, nodeName: 'a' },
    { addresses: ['10.64.0.3'], conditions: terminating, nodeName: 'b' },
    { addresses: ['10.64.0.4'], conditions: unready, nodeName: 'b' },
  ];
  const named = [
    { name: 'http', port: 80 },
    { name: 'admin', port: 81 },
  ];
  const cases: [what: string, of: Service, slices: EndpointSlice[], port: number, expected: string[] | undefined][] = [
    ['has its ready endpoints', shop(), [slice('shop', 'default', endpoints)], 80, ['10.64.0.2:8080']],
    ['has terminating ones if no other is ready', shop(), [slice('shop', 'default', endpoints.slice(1))], 80, ['10.64.0.3:8080']],
    ['has none without them', shop(), [slice('shop', 'default', endpoints.slice(2))], 80, []],
    ['has none without slices', shop(), [slice('shop', 'other', endpoints)], 80, []],
    ['that it does not have', shop(), [slice('shop', 'default', endpoints)], 81, undefined],
    [
      'has those of the node if traffic is local',
      shop({ internalTrafficPolicy: 'Local' }),
      [slice('shop', 'default', endpoints)],
      80,
      ['10.64.0.3:8080'],
    ],
    [
      'uses the port of its name, which may differ by pod',
      shop({ ports: named }),
      [
        slice('shop', 'default', endpoints.slice(0, 1), [
          { name: 'admin', port: 9090 },
          { name: 'http', port: 8080 },
        ]),
        slice('shop', 'default', [{ addresses: ['10.64.0.9'], conditions: ready }], [{ name: 'admin', port: 9091 }]),
      ],
      81,
      ['10.64.0.2:9090', '10.64.0.9:9091'],
    ],
  ];
  it.each(cases)('%s', (_, of, endpointSlices, port, expected) => {
    const found = endpointsOfPort(of, port, 'b', { services: [of], endpointSlices });
    expect(found?.map((each) => `${each.address}:${each.port}`)).toEqual(expected);
  });
});

it('a cluster IP, also a second one, belongs to its Service', () => {
  expect(serviceAt('fd00::3', objects)?.metadata?.namespace).toBe('other');
  expect(serviceAt('10.64.0.2', objects)).toBeUndefined();
});
