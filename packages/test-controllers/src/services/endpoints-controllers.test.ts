import type { KubeObject, Pod } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import type { EndpointSlice, EndpointsObject } from './objects.js';

const metadata = { name: 'shop' };

function setUp(spec: object) {
  const { objects } = createTestApiServer({ clock: createVirtualClock(), endpointSlices: true, endpoints: true });
  objects.create({ apiVersion: 'v1', kind: 'Service', metadata, spec } as KubeObject);
  const slices = () => objects.list<EndpointSlice & KubeObject>('endpointslices').filter((slice) => slice.metadata?.name !== 'kubernetes');
  return { objects, slices };
}

it('a Service whose first pod comes later gets it in its slice and its Endpoints, which are deleted with the Service', () => {
  const { objects, slices } = setUp({ selector: { app: 'shop' }, ports: [{ port: 80 }] });
  const [empty] = slices();
  expect(empty).toMatchObject({ ports: null, endpoints: null });
  objects.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } } as KubeObject);
  objects.create({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { app: 'shop' } } },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'web:1' }] },
  } as KubeObject);
  const start = (pod: Pod) => {
    pod.status = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }], conditions: [{ type: 'Ready', status: 'True' }] };
  };
  objects.update<Pod>('pods', 'a', start, { subresource: 'status' });
  expect(slices()).toMatchObject([{ metadata: { name: empty?.metadata.name }, endpoints: [{ addresses: ['10.0.0.1'] }] }]);
  expect(objects.get<EndpointsObject & KubeObject>('endpoints', 'shop')?.subsets).toMatchObject([{ addresses: [{ ip: '10.0.0.1' }] }]);
  objects.delete('services', 'shop');
  expect([slices(), objects.get('endpoints', 'shop')]).toEqual([[], undefined]);
});

it('Endpoints without ports of a Service without a selector are mirrored once', () => {
  const { objects, slices } = setUp({ clusterIP: 'None' });
  objects.create({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: [{ addresses: [{ ip: '192.0.2.7' }] }] } as KubeObject);
  expect(slices()).toMatchObject([{ ports: null, endpoints: [{ addresses: ['192.0.2.7'] }], metadata: { generation: 1 } }]);
  objects.delete('endpoints', 'shop');
  expect(slices()).toEqual([]);
});
