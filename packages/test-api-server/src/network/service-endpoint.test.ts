import { expect, it } from 'vitest';
import { ObjectStore } from '../store/object-store.js';
import { serviceEndpoint } from './service-endpoint.js';

const store = new ObjectStore(10);
const reference = { namespace: 'default', name: 'hooks', port: 443 };

it.each([
  ['https://127.0.0.1:9443', { scheme: 'https', host: '127.0.0.1', port: 9443 }],
  ['https://[::1]', { scheme: 'https', host: '::1', port: 443 }],
  ['http://hooks.test', { scheme: 'http', host: 'hooks.test', port: 80 }],
])('the endpoint of a Service with the URL %s is %j', (url, endpoint) => {
  const serviceUrls = (namespace: string, name: string) => (`${namespace}/${name}` === 'default/hooks' ? url : undefined);
  expect(serviceEndpoint({ store, serviceUrls }, reference)).toEqual({ endpoint });
  expect(serviceEndpoint({ store, serviceUrls }, { ...reference, name: 'others' })).toEqual({ unreachable: 'service "others" not found' });
});
