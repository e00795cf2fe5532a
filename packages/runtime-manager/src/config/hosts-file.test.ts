import type { Pod, PodSpec } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { managedHostsFile, managesHostsFile } from './hosts-file.js';

const pod = (spec: Partial<PodSpec>): Pod => ({
  metadata: { name: 'web-0', namespace: 'prod', uid: 'u1' },
  spec: { containers: [], ...spec },
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
