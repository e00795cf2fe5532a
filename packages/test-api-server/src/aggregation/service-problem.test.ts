import { expect, it } from 'vitest';
import { ObjectStore } from '../store/object-store.js';
import { serviceProblem } from './service-problem.js';

const of = { kind: 'Service', apiVersion: 'v1' };
const spec = (more: object = {}) => ({ ports: [{ name: 'https', port: 443 }], ...more });
const slice = (more: object = {}) => ({ endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{ name: 'https', port: 8443 }], ...more });

it.each<[string, object | undefined, object | undefined, string | undefined, string]>([
  ['without a Service', undefined, undefined, 'ServiceNotFound', 'service/api in "apps" is not present'],
  ['with another port', spec({ ports: [{ port: 80 }] }), slice(), 'ServicePortError', 'service/api in "apps" is not listening on port 443'],
  ['without slices', spec(), undefined, 'EndpointsNotFound', 'cannot find endpointslices for service/api in "apps"'],
  [
    'without addresses',
    spec(),
    slice({ endpoints: [] }),
    'MissingEndpoints',
    'endpointslices for service/api in "apps" have no addresses with port name "https"',
  ],
  ['with an endpoint', spec(), slice(), undefined, ''],
  ['with an external name', spec({ type: 'ExternalName', externalName: 'a.test' }), undefined, undefined, ''],
])('an APIService %s', (_, service, endpoints, reason, message) => {
  const store = new ObjectStore(10);
  if (service) store.put('/services', { ...of, metadata: { name: 'api', namespace: 'apps' }, spec: service });
  const labels = { 'kubernetes.io/service-name': 'api' };
  if (endpoints)
    store.put('discovery.k8s.io/endpointslices', { ...of, metadata: { name: 'api-1', namespace: 'apps', labels }, ...endpoints });
  const problem = serviceProblem({ store, serviceUrls: () => undefined }, { service: { namespace: 'apps', name: 'api' } });
  expect(problem).toEqual(reason && { status: 'False', reason, message });
});
