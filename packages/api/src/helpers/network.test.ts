import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../objects/pod.js';
import { checkResolvConfLimits, podDns } from './dns.js';
import { podHostnameAndDomain, sandboxHostname } from './hostname.js';
import { managedHostsFile, managesHostsFile } from './hosts-file.js';
import { orderPodIPs, reportedPodIPs } from './pod-ips.js';
import { parseResolvConf } from './resolv-conf.js';

const pod = (spec: Partial<PodSpec>): Pod => ({
  metadata: { name: 'web-0', namespace: 'prod', uid: 'u1' },
  spec: { containers: [], ...spec },
});
const input = { clusterDns: ['10.96.0.10'], clusterDomain: 'cluster.local', resolvConf: 'nameserver 1.1.1.1\nsearch corp.\n', nodeIPs: [] };

describe('resolver settings', () => {
  it('uses the cluster DNS unless the pod is on the host network', () => {
    expect(podDns({ ...input, pod: pod({ dnsPolicy: 'ClusterFirst' }) })).toEqual({
      servers: ['10.96.0.10'],
      searches: ['prod.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'corp'],
      options: ['ndots:5'],
      warnings: [],
    });
    expect(podDns({ ...input, pod: pod({ dnsPolicy: 'ClusterFirst', hostNetwork: true }) }).servers).toEqual(['1.1.1.1']);
  });

  it('falls back to the host with a warning when there is no cluster DNS', () => {
    const { servers, warnings } = podDns({ ...input, clusterDns: [], pod: pod({}) });
    expect(servers).toEqual(['1.1.1.1']);
    expect(warnings.map(({ object, reason }) => `${object} ${reason}`)).toEqual(['Node MissingClusterDNS', 'Pod MissingClusterDNS']);
  });

  it('uses the loopback address of the node if no resolver file is configured', () => {
    const own = podDns({ ...input, resolvConf: undefined, nodeIPs: ['fd00::1', '10.0.0.1'], pod: pod({ dnsPolicy: 'Default' }) });
    expect(own).toMatchObject({ servers: ['::1', '127.0.0.1'], searches: ['.'] });
  });

  it('truncates to the limits of resolvers and reports it', () => {
    const dnsConfig = {
      nameservers: ['1.0.0.1', '1.0.0.2', '1.0.0.3', '1.0.0.4'],
      searches: Array.from({ length: 33 }, (_, i) => `d${i}`),
    };
    const { servers, searches, warnings } = podDns({ ...input, pod: pod({ dnsPolicy: 'None', dnsConfig }) });
    expect([servers.length, searches.length]).toEqual([3, 32]);
    expect(warnings.map((warning) => warning.reason)).toEqual(['DNSConfigForming', 'DNSConfigForming']);
  });

  it('rejects a name server line without an address', () => {
    expect(() => parseResolvConf('nameserver')).toThrow(expect.objectContaining({ code: 'InvalidResolvConf' }));
    expect(parseResolvConf('options a:1 b\noptions a:2').options).toEqual(['a:2', 'b']);
  });

  it('checks the node file', () => {
    const line = (count: number) => `search ${Array.from({ length: count }, (_, i) => `d${i}`).join(' ')}`;
    expect(checkResolvConfLimits(line(29), 'cluster.local')).toBeUndefined();
    expect(checkResolvConfLimits(line(30), 'cluster.local')).toContain('more than 29 domains');
    expect(checkResolvConfLimits(line(30), '')).toBeUndefined();
    expect(checkResolvConfLimits(`search ${'x'.repeat(254)}`, '')).toContain('253');
  });
});

describe('hostname', () => {
  it("is the override, the spec's hostname or the pod's name", () => {
    expect(podHostnameAndDomain(pod({ subdomain: 'db' }), 'c.local')).toEqual({ hostname: 'web-0', domain: 'db.prod.svc.c.local' });
    expect(podHostnameAndDomain(pod({ hostname: 'h' }), 'c.local')).toEqual({ hostname: 'h', domain: '' });
    expect(podHostnameAndDomain(pod({ hostname: 'h', subdomain: 'db', hostnameOverride: 'a.b' }), 'c')).toEqual({
      hostname: 'a.b',
      domain: '',
    });
  });

  it('is truncated to 63 characters without a trailing dash or dot', () => {
    const name = `${'x'.repeat(61)}-.tail`;
    expect(podHostnameAndDomain({ metadata: { name } }, '').hostname).toBe('x'.repeat(61));
  });

  it.each<Partial<PodSpec>>([{ hostname: 'a.b' }, { subdomain: 'UP' }, { hostnameOverride: '' }, { hostname: 'x'.repeat(64) }])(
    'refuses %o',
    (spec) => {
      expect(() => podHostnameAndDomain(pod(spec), 'c')).toThrow(expect.objectContaining({ code: 'InvalidHostname' }));
    },
  );

  it("is the FQDN on request, if it fits the kernel's limit", () => {
    expect(sandboxHostname('h', 'd', true)).toBe('h.d');
    expect(sandboxHostname('h', 'd', false)).toBe('h');
    expect(() => sandboxHostname('h', 'd'.repeat(63), true)).toThrow('65 characters requested');
  });
});

describe('hosts file', () => {
  it('has the addresses of the pod, its aliases and, on the host network, of the node', () => {
    const file = managedHostsFile({
      podIPs: ['10.0.0.5'],
      hostname: 'h',
      domain: 'd',
      hostAliases: [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }],
    });
    expect(file).toContain('\n10.0.0.5\th.d\th\n\n# Entries added by HostAliases.\n1.2.3.4\ta\tb\n');
    expect(managedHostsFile({ podIPs: [], hostname: 'h', domain: '', nodeHosts: '1.1.1.1 node\n' })).toBe(
      '# Kubernetes-managed hosts file (host network).\n1.1.1.1 node\n',
    );
  });

  it('is not managed for a container that mounts another one', () => {
    const own = { name: 'c', volumeMounts: [{ name: 'v', mountPath: '/etc/hosts' }] };
    expect(managesHostsFile(pod({}), { name: 'c' }, ['10.0.0.5'])).toBe(true);
    expect(managesHostsFile(pod({}), { name: 'c' }, [])).toBe(false);
    expect(managesHostsFile(pod({ hostNetwork: true }), own, [])).toBe(false);
  });
});

it('orders pod addresses by the node family', () => {
  expect(orderPodIPs(['fd00::1', '10.0.0.5', '10.0.0.6', 'x'], '192.168.0.1')).toEqual(['10.0.0.5', 'fd00::1']);
  expect(orderPodIPs(['10.0.0.5', 'fd00::1'], 'fd00::9')).toEqual(['fd00::1', '10.0.0.5']);
});

it('reports the addresses of the node for a pod on the host network', () => {
  expect(reportedPodIPs([], ['10.0.0.9', 'fd00::9'], true)).toEqual(['10.0.0.9', 'fd00::9']);
  expect(reportedPodIPs(['10.0.0.7'], ['10.0.0.9', 'fd00::9'], true)).toEqual(['10.0.0.7', 'fd00::9']);
  expect(reportedPodIPs([], [], true)).toEqual([]);
  expect(reportedPodIPs([], ['10.0.0.9'], false)).toEqual([]);
});
