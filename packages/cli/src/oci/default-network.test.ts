import { fixedNetworks } from '@nodeagent/cni';
import { describe, expect, it } from 'vitest';
import { defaultNetwork, withDefaultNetwork } from './default-network.js';

const head = 'Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT';
const route = (device: string, destination: string, mask: string) => `${device}	${destination}	00000000	0001	0	0	0	${mask}	0	0	0`;
const routes = (...lines: string[]) => [head, ...lines, ''].join('\n');
const subnetOf = (text: string) => {
  const [bridge] = JSON.parse(defaultNetwork({ routes: text, hasIptables: true }).json).plugins;
  return bridge.ipam.ranges[0][0].subnet;
};

describe('the default network', () => {
  it.each([
    ['no route but the default one', [route('eth0', '00000000', '00000000')], '10.183.0.0/24'],
    ['a network elsewhere', [route('eth0', '0002A8C0', '00FFFFFF')], '10.183.0.0/24'],
    // 10.0.0.0/8
    ['a network around the first two', [route('tun0', '0000000A', '000000FF')], '172.29.183.0/24'],
    // 10.183.0.7/32
    ['one address in the first', [route('tun0', '0700B70A', 'FFFFFFFF')], '10.191.0.0/24'],
    // 10.183.0.0/24
    ['its own bridge of a previous run', [route('nodeagent0', '0000B70A', '00FFFFFF')], '10.183.0.0/24'],
  ])('has the first addresses without a route: %s', (_, lines, subnet) => {
    expect(subnetOf(routes(...lines))).toBe(subnet);
  });

  it('has host ports and other networks with iptables only', () => {
    const types = (hasIptables: boolean) => defaultNetwork({ routes: routes(), hasIptables }).plugins.map(({ type }) => type);
    expect(types(true)).toEqual(['bridge', 'portmap']);
    expect(types(false)).toEqual(['bridge']);
    const { plugins } = JSON.parse(defaultNetwork({ routes: routes(), hasIptables: false }).json);
    expect(plugins[0]).toMatchObject({ isGateway: true, ipMasq: false });
  });

  it('gives way to a configured network', () => {
    const network = defaultNetwork({ routes: routes(), hasIptables: true });
    const configured = { ...network, name: 'flannel' };
    expect(withDefaultNetwork(fixedNetworks([]), network).networks()).toEqual([network]);
    expect(withDefaultNetwork(fixedNetworks([configured]), network).networks()).toEqual([configured]);
  });
});
