import net from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalIP, isInSubnet, isIP, isIPv4, isIPv6 } from './ip-address.js';

const group = fc.constantFrom('', '0', 'f', 'FFFF', '12345', 'g', '1.2.3.4', '1.2.3', '255', '256', '01', '%eth0');
const text = fc.tuple(fc.array(group, { maxLength: 9 }), fc.constantFrom(':', '.', '::')).map(([parts, by]) => parts.join(by));

it('recognizes the addresses that Node does', () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.ipV4(), fc.ipV6(), fc.string()), (address) => {
      expect([isIPv4(address), isIPv6(address), isIP(address)], address).toEqual([
        net.isIPv4(address),
        net.isIPv6(address),
        net.isIP(address),
      ]);
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['0.0.0.0', true, false],
  ['1.2.3.04', false, false],
  ['::', false, true],
  ['1:2:3:4:5:6:7::', false, true],
  ['1:2:3:4:5:6:7:8', false, true],
  ['1:2:3:4:5:6:7:8:9', false, false],
  ['1::2::3', false, false],
  ['::ffff:1.2.3.4', false, true],
  ['1.2.3.4::', false, false],
  ['fe80::1%eth0', false, true],
  ['fe80::1%', false, false],
  ['', false, false],
])('classifies %j', (address, v4, v6) => expect([isIPv4(address), isIPv6(address)]).toEqual([v4, v6]));

const zerosAndOthers = fc.constantFrom('0', '0', '0', '0000', '1', 'ffff', 'FE80', '0ab');
const ipv6 = fc.oneof(
  fc.ipV6(),
  fc.array(zerosAndOthers, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':')),
  fc.tuple(fc.constantFrom('::', '::ffff:', '::ffff:0:', '0:0:0:0:0:0:', '64:ff9b::'), fc.ipV4()).map((parts) => parts.join('')),
);
const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

it('writes addresses as Node does', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), ipv6), (address) => {
      expect(canonicalIP(address)).toBe(new net.SocketAddress({ address, family: familyOf(address) }).address);
    }),
    { numRuns: 2_000 },
  );
  expect(canonicalIP('FE80:0::1%eth0')).toBe('fe80::1');
});

it('finds the subnets of an address that Node does', () => {
  const address = fc.oneof(
    fc.ipV4(),
    ipv6,
    fc.ipV4().map((v4) => `::ffff:${v4}`),
  );
  fc.assert(
    fc.property(address, fc.oneof(fc.constant(undefined), address), fc.nat(128), (member, other, length) => {
      const network = other ?? member;
      const bits = isIPv4(network) ? length % 33 : length;
      const list = new net.BlockList();
      list.addSubnet(network, bits, familyOf(network));
      expect(isInSubnet(member, network, bits), `${member} ${network}/${bits}`).toBe(list.check(member, familyOf(member)));
    }),
    { numRuns: 2_000 },
  );
});
