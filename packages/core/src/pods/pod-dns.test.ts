import type { Pod, PodSpec } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { podDns } from './pod-dns.js';
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
});
