import { isIP } from 'node:net';
import { expect, it } from 'vitest';
import { hostAddresses, hugePageSize, readMachineFacts } from './machine.js';

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
  expect(facts.maskedPaths.every((path) => /^\/sys\/devices\/system\/cpu\/cpu\d+\/thermal_throttle$/.test(path))).toBe(true);
});

it('has an address, at most one of each family, none of a single link', () => {
  const addresses = hostAddresses();
  const families = addresses.map((address) => isIP(address));
  expect(families.length).toBeGreaterThan(0);
  expect(families).not.toContain(0);
  expect(new Set(families).size).toBe(families.length);
  expect(addresses.some((address) => address.startsWith('fe80:'))).toBe(false);
});
