import { describe, expect, it } from 'vitest';
import { readRunOptions } from './run-options.js';

const read = (...args: string[]) => readRunOptions(['--kubeconfig', '/etc/k', ...args], {}, true);

describe('flags of a cluster member', () => {
  it('have the defaults of a kubelet, and no manifests', () => {
    const { kubeconfig, configuration } = read();
    expect({ kubeconfig, ...configuration.cluster.settings }).toEqual({
      kubeconfig: '/etc/k',
      registerNode: true,
      nodeIPs: [],
      registerWithTaints: [],
      nodeLabels: {},
      maxPods: 110,
    });
    expect(configuration.staticPods.path).toBeUndefined();
    expect(read('--manifests', '/m').configuration.staticPods.path).toBe('/m');
  });

  it('set the options of the node', () => {
    const labels = ['--node-labels', 'disk=ssd,empty=', '--provider-id', 'x://1', '--max-pods', '5', '--register-node=false'];
    const taints = ['--node-ip', '10.0.0.1,fd00::1', '--register-with-taints', 'a=b:NoSchedule,c:NoExecute'];
    const dns = ['--cluster-dns', '10.96.0.10', '--cluster-domain', 'cluster.local', '--manifest-url', 'http://h/pods'];
    expect(read(...labels, ...taints, ...dns).configuration).toMatchObject({
      cluster: {
        settings: {
          registerNode: false,
          nodeIPs: ['10.0.0.1', 'fd00::1'],
          registerWithTaints: [
            { key: 'a', value: 'b', effect: 'NoSchedule' },
            { key: 'c', effect: 'NoExecute' },
          ],
          nodeLabels: { disk: 'ssd', empty: '' },
          providerID: 'x://1',
          maxPods: 5,
        },
      },
      agent: { settings: { clusterDNS: ['10.96.0.10'], clusterDomain: 'cluster.local' } },
      staticPods: { url: 'http://h/pods' },
    });
  });

  it.each([
    [['--node-ip', 'here'], '--node-ip: "here" is not an IP address'],
    [['--node-ip', '10.0.0.1,10.0.0.2'], '--node-ip: must be one address, or one IPv4 and one IPv6 address, not 10.0.0.1 and 10.0.0.2'],
    [['--register-with-taints', 'a=b'], '--register-with-taints: "a=b" is not KEY=VALUE:EFFECT'],
    [['--register-with-taints', 'a=b:Never'], 'with an effect of NoSchedule, PreferNoSchedule, NoExecute'],
    [['--node-labels', 'disk'], '--node-labels: "disk" is not KEY=VALUE'],
    [
      ['--node-labels', 'disk=ssd,node-role.kubernetes.io/master=,x.k8s.io/a=b,kubernetes.io/x='],
      "--node-labels: unknown 'kubernetes.io' or 'k8s.io' labels: kubernetes.io/x, node-role.kubernetes.io/master, x.k8s.io/a; a label",
    ],
    [['--max-pods', 'many'], '--max-pods: "many" is not a whole number of 0 or more'],
    [['--register-node', 'maybe'], '--register-node: "maybe" is not one of true, false'],
    [['--manifest-url', 'ftp://h'], '--manifest-url: "ftp://h" is not an http or https URL'],
  ])('%j: %s', (args, message) => {
    expect(() => read(...args)).toThrow(expect.objectContaining({ code: 'BAD_USAGE', message: expect.stringContaining(message) }));
  });

  it('set labels and capacity of a standalone node too', () => {
    const options = readRunOptions(['--node-labels', 'disk=ssd', '--max-pods', '5'], {}, true);
    expect(options.configuration.agent.node).toEqual({ nodeLabels: { disk: 'ssd' }, maxPods: 5 });
    expect(() => readRunOptions(['--node-labels', 'disk'], {}, true)).toThrow('--node-labels: "disk" is not KEY=VALUE');
  });

  it('set the reserved labels that a kubelet may set', () => {
    const names = [
      'topology.kubernetes.io/zone',
      'kubernetes.io/os',
      'x.node.kubernetes.io/a',
      'kubelet.kubernetes.io/b',
      'mykubernetes.io/c',
    ];
    const options = readRunOptions(['--node-labels', names.map((name) => `${name}=1`).join(',')], {}, true);
    expect(Object.keys(options.configuration.agent.node?.nodeLabels ?? {})).toEqual(names);
  });

  it('mostly require a cluster', () => {
    expect(() => readRunOptions(['--provider-id', 'a'], {}, true)).toThrow('--provider-id: requires --kubeconfig');
    expect(readRunOptions([], {}, true).configuration.staticPods.path).toBe('/etc/kubernetes/manifests');
  });
});
