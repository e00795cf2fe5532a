import { isIP } from 'node:net';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { auxiliaryValue, createHostAddresses, hostAddresses, hugePageSize, podIdsOf, readMachineFacts } from './machine-facts.js';

it.each([
  ['hugepages-2048kB', '2MB'],
  ['hugepages-1048576kB', '1GB'],
  ['hugepages-64kB', '64KB'],
  ['hugepages-16777216kB', '16GB'],
  ['hugepages-32768kB', '32MB'],
  ['hugepages-1536kB', '1536KB'],
  ['hugepages-', undefined],
  ['other', undefined],
])('%s is %s', (folder, size) => {
  expect(hugePageSize(folder)).toBe(size);
});

it('reads this machine', () => {
  const facts = readMachineFacts();
  expect(facts.memoryBytes).toBeGreaterThan(1n << 26n);
  expect([1, 2]).toContain(facts.cgroupVersion);
  expect(Number(facts.pageSize) % 4096).toBe(0);
  expect(facts.maskedPaths.every((path) => /^\/sys\/devices\/system\/cpu\/cpu\d+\/thermal_throttle$/.test(path))).toBe(true);
});

it.each([
  ['none', '', '', {}],
  ['one', 'kubelet:65536:131072\n', 'kubelet:65536:131072\n', { podIds: { first: 65_536, count: 131_072 } }],
  [
    'others of groups',
    'kubelet:65536:131072\n',
    '',
    { podIdsError: 'the user kubelet must have exactly one block of ids, the same in /etc/subuid and /etc/subgid' },
  ],
  [
    'those of users',
    'kubelet:1000:65536',
    'kubelet:1000:65536',
    { podIdsError: 'the ids of the user kubelet in /etc/subuid and /etc/subgid: first must be at least 65536' },
  ],
])('ids for pods: %s', (_, subuid, subgid, facts) => {
  expect(podIdsOf(subuid, subgid)).toEqual(facts);
});

it('reads the page size from the auxiliary vector', () => {
  const words = new BigUint64Array([33n, 7n, 6n, 16_384n, 0n, 0n]);
  expect(auxiliaryValue(Buffer.from(words.buffer), 6)).toBe(16_384);
  expect(auxiliaryValue(Buffer.from(words.buffer, 0, 24), 6)).toBeUndefined();
});

it('reads the addresses at most every 10 s until the network is up', async () => {
  const clock = createVirtualClock();
  let own = ['127.0.0.1'];
  let readings = 0;
  const addresses = createHostAddresses(clock, () => {
    readings++;
    return own;
  });
  for (let call = 0; call < 5; call++) expect(addresses()).toEqual(['127.0.0.1']);
  own = ['10.0.0.7'];
  await clock.advance(10_000);
  for (let call = 0; call < 5; call++) expect(addresses()).toEqual(['10.0.0.7']);
  expect(readings).toBe(2);
});

it('has at most one address of each family, none of them link-local', () => {
  const addresses = hostAddresses();
  const families = addresses.map((address) => isIP(address));
  expect(families.length).toBeGreaterThan(0);
  expect(families).not.toContain(0);
  expect(new Set(families).size).toBe(families.length);
  expect(addresses.some((address) => address.startsWith('fe80:'))).toBe(false);
});
