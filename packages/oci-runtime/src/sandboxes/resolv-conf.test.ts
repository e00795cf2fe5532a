import { expect, it } from 'vitest';
import { resolvConf } from './resolv-conf.js';

it('writes the DNS configuration of a pod', () => {
  expect(resolvConf({ servers: ['10.0.0.10', 'fd00::a'], searches: ['a.local', 'local'], options: ['ndots:5'] })).toBe(
    'search a.local local\nnameserver 10.0.0.10\nnameserver fd00::a\noptions ndots:5\n',
  );
  expect(resolvConf({ servers: ['10.0.0.10'] })).toBe('nameserver 10.0.0.10\n');
});

it('has none without a DNS configuration: the pod gets that of the node', () => {
  expect(resolvConf(undefined)).toBeUndefined();
  expect(resolvConf({})).toBeUndefined();
});
