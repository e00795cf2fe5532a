import { expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';
import { serviceRange } from './service-range.js';

it('has the addresses of a CIDR', () => {
  const { size, address } = serviceRange('10.0.255.7/23');
  expect([size, address(1), address(256), address(511)]).toEqual([512, '10.0.254.1', '10.0.255.0', '10.0.255.255']);
});

it.each(['10.0.0.0', '10.0.0.256/24', 'fd00::/108', '10.0.0.0/31', ''])('refuses %s', (cidr) => {
  expect(() => serviceRange(cidr)).toThrow('serviceClusterIPRange');
});

it('assigns the addresses of its range to Services, until there are no more', async () => {
  const { call } = setUp({ serviceClusterIPRange: '10.0.0.0/29' });
  const services = '/api/v1/namespaces/default/services';
  const create = (name: string) => call('POST', services, { metadata: { name }, spec: { ports: [{ port: 80 }] } });
  expect((await call('GET', `${services}/kubernetes`)).body.spec.clusterIP).toBe('10.0.0.1');
  const answers = [];
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) answers.push(await create(name));
  expect(answers.map(({ body }) => body.spec?.clusterIP)).toEqual(['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6', undefined]);
  expect(answers[5]).toMatchObject({ status: 500, body: { message: expect.stringContaining('range is full') } });
});
