import { describe, expect, it } from 'vitest';
import { chooseResolved, type NetworkFacts, type NodeAddressInput, nodeAddresses } from './node-addresses.js';
import { nodeIPProblem } from './node-ip.js';

const own = ['127.0.0.1', '::1', '10.0.0.7', '2001:db8::7', 'fe80::1'];
const network = (facts: Partial<NetworkFacts> = {}): NetworkFacts => ({
  interfaceAddresses: () => own,
  lookup: async () => ['127.0.1.1', '2001:DB8:0::7', '10.0.0.7'],
  defaultAddress: async (family) => (family === 'ipv4' ? '10.0.0.7' : '2001:db8::7'),
  ...facts,
});
const addresses = async (input: Partial<NodeAddressInput>, facts?: Partial<NetworkFacts>) =>
  (await nodeAddresses({ nodeName: 'n1', hostname: 'host', ...input }, network(facts))).map(({ type, address }) => `${type} ${address}`);
const fail = async () => {
  throw new Error('no such host');
};

describe('node addresses', () => {
  it.each<[string, Partial<NodeAddressInput>, string[]]>([
    ['the configured one', { nodeIPs: ['10.0.0.7'] }, ['InternalIP 10.0.0.7', 'Hostname host']],
    ['both', { nodeIPs: ['10.0.0.7', '2001:db8:0::7'] }, ['InternalIP 10.0.0.7', 'InternalIP 2001:db8::7', 'Hostname host']],
    ['a host name that is one', { hostname: '10.9.9.9' }, ['InternalIP 10.9.9.9', 'Hostname 10.9.9.9']],
    ['what the name resolves to, IPv4 first', {}, ['InternalIP 10.0.0.7', 'Hostname host']],
    ['IPv6 first if :: is configured', { nodeIPs: ['::'] }, ['InternalIP 2001:db8::7', 'Hostname host']],
    ['none before the cloud provider knows', { externalCloudProvider: true }, ['Hostname host']],
    ['the configured one until then', { externalCloudProvider: true, nodeIPs: ['10.0.0.7'] }, ['InternalIP 10.0.0.7', 'Hostname host']],
    [
      'what the cloud provider set',
      { externalCloudProvider: true, nodeIPs: ['10.0.0.7'], existing: [{ type: 'ExternalIP', address: '203.0.113.1' }] },
      ['ExternalIP 203.0.113.1'],
    ],
  ])('are %s', async (_what, input, expected) => {
    expect(await addresses(input)).toEqual(expected);
  });

  it('fall back to the interface with the default route', async () => {
    expect(await addresses({}, { lookup: fail })).toEqual(['InternalIP 10.0.0.7', 'Hostname host']);
    expect(await addresses({ nodeIPs: ['::'] }, { lookup: async () => ['127.0.0.1'] })).toEqual([
      'InternalIP 2001:db8::7',
      'Hostname host',
    ]);
  });

  it("fail with the kubelet's messages", async () => {
    await expect(addresses({ nodeIPs: ['127.0.0.1'] })).rejects.toMatchObject({
      code: 'InvalidNodeIP',
      message: "failed to validate nodeIP: nodeIP can't be loopback address",
    });
    await expect(addresses({ nodeIPs: ['10.0.0.7', '2001:db8::8'] })).rejects.toThrow(
      'failed to validate secondaryNodeIP: node IP: "2001:db8::8" not found in the host\'s network interfaces',
    );
    await expect(addresses({}, { lookup: fail, defaultAddress: fail })).rejects.toMatchObject({
      code: 'NoNodeAddress',
      retryable: true,
      message: "can't get ip address of node n1. error: no such host",
    });
  });

  it('are not resolved after an abort', async () => {
    const controller = new AbortController();
    controller.abort(new Error('stopped'));
    const input = { nodeName: 'n1', hostname: 'host' };
    await expect(nodeAddresses(input, network({ lookup: fail }), controller.signal)).rejects.toThrow('stopped');
  });
});

it('returns the first usable address if none is of the family', () => {
  expect(chooseResolved(['2001:db8::7'], own, 'ipv4')).toBe('2001:db8::7');
  expect(chooseResolved(['224.0.0.1', '192.0.2.1'], own, 'ipv4')).toBeUndefined();
});

it.each([
  ['nonsense', 'nodeIP must be a valid IP address'],
  ['127.8.8.8', "nodeIP can't be loopback address"],
  ['ff02::1', "nodeIP can't be a multicast address"],
  ['fe80::1', "nodeIP can't be a link-local unicast address"],
  ['0.0.0.0', "nodeIP can't be an all zeros address"],
  ['10.0.0.8', 'node IP: "10.0.0.8" not found in the host\'s network interfaces'],
  ['10.0.0.7', undefined],
])('of %s is %s', (address, problem) => {
  expect(nodeIPProblem(address, own)).toBe(problem);
});
