import { describe, expect, it } from 'vitest';
import { cniErrorCodes } from '../errors.js';
import { cniVersions } from '../versions.js';
import { parseResult } from './parse-result.js';
import { podIPsOf } from './pod-ips.js';
import { resultJson } from './result-json.js';

const full = {
  cniVersion: '1.1.0',
  interfaces: [
    { name: 'cni0', mtu: 1500 },
    { name: 'eth0', mac: '02:00:00:00:00:01', sandbox: '/run/netns/a', pciID: '0' },
  ],
  ips: [
    { address: '10.0.0.2/24', gateway: '10.0.0.1', interface: 1 },
    { address: 'fd00::2/64', interface: 1 },
  ],
  routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1', mtu: 1400, scope: 0 }, { dst: '::/0' }],
  dns: { nameservers: ['10.0.0.10'], search: ['svc'] },
};
const parse = (value: unknown) => parseResult(JSON.stringify(value), '1.0.0');

describe('parseResult', () => {
  it.each([
    ['1.1.0', full, full],
    ['no version: that of the call', {}, { cniVersion: '1.0.0' }],
    ['nulls and an empty dns', { ips: null, interfaces: null, dns: {} }, { cniVersion: '1.0.0' }],
    [
      'interface 0',
      { interfaces: [{ name: 'a' }], ips: [{ address: '10.0.0.2/8', interface: 0 }] },
      { cniVersion: '1.0.0', interfaces: [{ name: 'a' }], ips: [{ address: '10.0.0.2/8', interface: 0 }] },
    ],
    [
      '0.4.0 with the version of addresses',
      { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/8' }] },
      { cniVersion: '0.4.0', ips: [{ address: '10.0.0.2/8' }] },
    ],
    [
      '0.2.0 with one address a family',
      { cniVersion: '0.2.0', ip4: { ip: '10.0.0.2/8', gateway: '10.0.0.1', routes: [{ dst: '0.0.0.0/0' }] }, ip6: { ip: 'fd00::2/64' } },
      {
        cniVersion: '0.2.0',
        ips: [{ address: '10.0.0.2/8', gateway: '10.0.0.1' }, { address: 'fd00::2/64' }],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    ],
  ])('reads %s', (_, value, expected) => {
    expect(parse(value)).toEqual(expected);
  });

  it.each([
    ['', '', 'is empty'],
    ['hello', '', 'is not JSON'],
    ['[]', '', 'must be an object'],
    ['{"cniVersion":"9.0.0"}', 'cniVersion', 'supported'],
    [`{"cniVersion":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'cniVersion', 'got object'],
    ['{"ips":{}}', 'ips', 'a list'],
    ['{"ips":[{"address":"10.0.0.2"}]}', 'ips[0].address', 'prefix length'],
    ['{"ips":[{"address":"10.0.0.2/33"}]}', 'ips[0].address', 'prefix length'],
    ['{"ips":[{"address":"10.0.0.2/8","interface":0}]}', 'ips[0].interface', 'has 0 interfaces'],
    ['{"ips":[{"address":"10.0.0.2/8","interface":-1}]}', 'ips[0].interface', 'at least 0'],
    ['{"interfaces":[{"mac":"x"}]}', 'interfaces[0].name', 'a string'],
    ['{"routes":[{"dst":"default"}]}', 'routes[0].dst', 'prefix length'],
    ['{"routes":[{"dst":"::/0","gw":"x"}]}', 'routes[0].gw', 'an IP address'],
    ['{"dns":{"search":[1]}}', 'dns.search[0]', 'a string'],
    ['{"cniVersion":"0.1.0","ip4":{"ip":1}}', 'ip4.ip', 'a string'],
  ])('refuses %s, naming the field', (text, field, problem) => {
    expect(() => parseResult(text, '1.0.0')).toThrow(
      expect.objectContaining({ code: cniErrorCodes.invalidResult, details: { field }, message: expect.stringContaining(problem) }),
    );
  });
});

describe('resultJson', () => {
  it.each(cniVersions)('writes what %s can express, and reads that to the same', (version) => {
    const once = parseResult(JSON.stringify(resultJson(parse(full), version)), version);
    expect(parseResult(JSON.stringify(resultJson(once, version)), version)).toEqual(once);
    expect(once.ips?.map(({ address }) => address)).toEqual(['10.0.0.2/24', 'fd00::2/64']);
  });

  it('leaves out what older versions lack', () => {
    expect(resultJson(parse(full), '0.4.0')).toEqual({
      cniVersion: '0.4.0',
      interfaces: [{ name: 'cni0' }, { name: 'eth0', mac: '02:00:00:00:00:01', sandbox: '/run/netns/a' }],
      ips: [
        { version: '4', address: '10.0.0.2/24', gateway: '10.0.0.1', interface: 1 },
        { version: '6', address: 'fd00::2/64', interface: 1 },
      ],
      routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1' }, { dst: '::/0' }],
      dns: full.dns,
    });
    expect(resultJson(parse(full), '0.2.0')).toEqual({
      cniVersion: '0.2.0',
      ip4: { ip: '10.0.0.2/24', gateway: '10.0.0.1', routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1' }] },
      ip6: { ip: 'fd00::2/64', routes: [{ dst: '::/0' }] },
      dns: full.dns,
    });
  });
});

describe('podIPsOf', () => {
  const interfaces = [{ name: 'eth0' }, { name: 'eth0', sandbox: '/n' }, { name: 'eth1', sandbox: '/n' }];
  it.each([
    [
      'of the interface in the namespace',
      [
        [0, '10.0.0.1/8'],
        [1, '10.0.0.2/8'],
        [2, '10.0.0.3/8'],
      ],
      ['10.0.0.2'],
    ],
    ['without an interface', [[undefined, '10.0.0.9/8']], ['10.0.0.9']],
    [
      'of both families in their order, each once',
      [
        [1, 'fd00::1/64'],
        [1, '10.0.0.2/8'],
        [1, '10.0.0.2/16'],
      ],
      ['fd00::1', '10.0.0.2'],
    ],
  ])('gives the addresses %s', (_, given, expected) => {
    const ips = given.map(([index, address]) => ({ address: String(address), ...(index !== undefined && { interface: Number(index) }) }));
    expect(podIPsOf({ cniVersion: '1.0.0', interfaces, ips })).toEqual(expected);
  });
});
