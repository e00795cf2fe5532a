import net from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isIPv4, isIPv6 } from './ip-address.js';

const group = fc.constantFrom('', '0', 'f', 'FFFF', '12345', 'g', '1.2.3.4', '1.2.3', '255', '256', '01', '%eth0');
const text = fc.tuple(fc.array(group, { maxLength: 9 }), fc.constantFrom(':', '.', '::')).map(([parts, by]) => parts.join(by));

it('recognizes the addresses that Node does', () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.ipV4(), fc.ipV6(), fc.string()), (address) => {
      expect([isIPv4(address), isIPv6(address)], address).toEqual([net.isIPv4(address), net.isIPv6(address)]);
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
