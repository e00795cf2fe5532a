import { describe, expect, it } from 'vitest';
import { readRunOptions } from './run-options.js';

const read = (...args: string[]) => readRunOptions(args, {}, true);

describe('readRunOptions', () => {
  it('has the defaults of a root user', () => {
    expect(read()).toMatchObject({
      runtimeEndpoint: 'process',
      stopPodsOnExit: true,
      rootDir: '/var/lib/nodeagent',
      podLogsDir: '/var/lib/nodeagent/logs',
      configuration: { staticPods: { checkIntervalMs: 20_000 }, agent: { settings: { maxContainerRestartPeriodMs: 300_000 } } },
      output: 'auto',
    });
  });
  it('keeps state in the home of an ordinary user', () => {
    expect(readRunOptions([], { XDG_STATE_HOME: '/home/me/state' }, false)?.rootDir).toBe('/home/me/state/nodeagent');
  });
  it('leaves pods running on an external runtime by default', () => {
    expect(read('--runtime-endpoint', 'unix:///run/x.sock')).toMatchObject({ stopPodsOnExit: false, podLogsDir: '/var/log/pods' });
    expect(read('--runtime-endpoint', '/run/x.sock', '--stop-pods-on-exit')?.stopPodsOnExit).toBe(true);
  });
  it('takes the chosen runtime unless one is named, also by its former name', () => {
    const chosen = (...args: string[]) => readRunOptions(args, {}, true, undefined, 'oci').runtimeEndpoint;
    expect(chosen()).toBe('oci');
    expect(chosen('--runtime-endpoint', 'process')).toBe('process');
    expect(chosen('--runtime-endpoint', 'embedded')).toBe('process');
    expect(chosen('--runtime-endpoint', '/run/x.sock')).toBe('/run/x.sock');
  });
  it('makes root on the OCI runtime the owner of the node, whose pods outlive the agent', () => {
    expect(read('--runtime-endpoint', 'oci')).toMatchObject({
      stopPodsOnExit: false,
      podLogsDir: '/var/log/pods',
      configuration: { agent: { settings: { cgroupsPerQOS: true, devicePlugins: true, oomScoreAdj: -999 } } },
    });
  });
  it('reads the handlers and the cgroup driver of the OCI runtime', () => {
    const { handlers, configuration } = read('--handler', 'kata=/opt/kata,runc=/usr/sbin/runc', '--cgroup-driver', 'systemd');
    expect(handlers).toEqual({ kata: { path: '/opt/kata' }, runc: { path: '/usr/sbin/runc' } });
    expect(configuration.agent.settings?.cgroupDriver).toBe('systemd');
    expect(read().configuration.agent.settings).not.toHaveProperty('cgroupDriver');
    expect(() => read('--handler', 'kata')).toThrow('--handler: "kata" is not NAME=PATH');
    expect(() => read('--cgroup-driver', 'other')).toThrow('--cgroup-driver');
  });
  it('gives pods cgroups as root on an external runtime, unless a flag turns it off', () => {
    const settings = (args: string[], isRoot = true) => readRunOptions(args, {}, isRoot).configuration.agent.settings;
    const external = ['--runtime-endpoint', 'unix:///run/x.sock'];
    expect(settings(external)).toMatchObject({ cgroupsPerQOS: true });
    expect(settings([])).toMatchObject({ cgroupsPerQOS: false });
    expect(settings(external, false)).toMatchObject({ cgroupsPerQOS: false });
    expect(settings([...external, '--cgroups-per-qos=false'])).toMatchObject({ cgroupsPerQOS: false });
    expect(settings([...external, '--cgroup-root', '/edge'])).toMatchObject({ cgroupsPerQOS: true, cgroupRoot: '/edge' });
  });
  it('protects the agent of a node from the OOM killer, but no processes of the embedded runtime', () => {
    const score = (args: string[], isRoot = true) => readRunOptions(args, {}, isRoot).configuration.agent.settings?.oomScoreAdj;
    const external = ['--runtime-endpoint', 'unix:///run/x.sock'];
    expect([score(external), score([]), score(external, false)]).toEqual([-999, undefined, undefined]);
  });
  it('runs device plugins as root on an external runtime, unless a flag turns it off', () => {
    const settings = (args: string[], isRoot = true) => readRunOptions(args, {}, isRoot).configuration.agent.settings;
    const external = ['--runtime-endpoint', 'unix:///run/x.sock'];
    expect(settings(external)).toMatchObject({ devicePlugins: true });
    expect(settings([])).toMatchObject({ devicePlugins: false });
    expect(settings(external, false)).toMatchObject({ devicePlugins: false });
    expect(settings([...external, '--device-plugins=false'])).toMatchObject({ devicePlugins: false });
  });
  it('reads the flags of a TLS bootstrap', () => {
    expect(read('--bootstrap-kubeconfig', '/b', '--rotate-certificates', '--cert-dir', '/pki')).toMatchObject({
      kubeconfig: '/var/lib/nodeagent/kubeconfig',
      bootstrapKubeconfig: '/b',
      certDir: '/pki',
      configuration: { certificates: { rotateCertificates: true } },
    });
    expect(read('--bootstrap-kubeconfig', '/b', '--kubeconfig', '/k')).toMatchObject({
      kubeconfig: '/k',
      certDir: '/var/lib/nodeagent/pki',
      configuration: { certificates: {} },
    });
    expect(() => read('--rotate-certificates')).toThrow('--rotate-certificates: requires --kubeconfig');
  });
  it('reads the policies of the resource managers', () => {
    const external = ['--runtime-endpoint', 'unix:///run/x.sock'];
    const { agent } = read(
      ...external,
      ...['--cpu-manager-policy', 'static', '--cpu-manager-policy-options', 'full-pcpus-only=true,strict-cpu-reservation=false'],
      ...['--cpu-manager-reconcile-period', '5s', '--reserved-cpus', '0-1', '--memory-manager-policy', 'Static'],
      ...['--reserved-memory', '0:memory=1Gi,hugepages-2Mi=2Mi;1:memory=1Gi', '--topology-manager-policy', 'restricted'],
      ...['--topology-manager-scope', 'pod', '--topology-manager-policy-options', 'prefer-closest-numa-nodes=true'],
    ).configuration;
    expect(agent.resourceManagers).toEqual({
      cpuManagerPolicy: 'static',
      cpuManagerPolicyOptions: { 'full-pcpus-only': 'true', 'strict-cpu-reservation': 'false' },
      cpuManagerReconcilePeriodMs: 5_000,
      reservedSystemCPUs: '0-1',
      memoryManagerPolicy: 'Static',
      reservedMemory: [
        { numaNode: 0, limits: { memory: '1Gi', 'hugepages-2Mi': '2Mi' } },
        { numaNode: 1, limits: { memory: '1Gi' } },
      ],
      topologyManagerPolicy: 'restricted',
      topologyManagerScope: 'pod',
      topologyManagerPolicyOptions: { 'prefer-closest-numa-nodes': 'true' },
    });
  });
  it('reads durations', () => {
    expect(read('--sync-frequency', '1m30s')?.configuration.agent.settings?.syncFrequencyMs).toBe(90_000);
    expect(read('--file-check-frequency', '500ms')?.configuration.staticPods.checkIntervalMs).toBe(500);
  });
  it.each([
    [['--sync-frequency', '5'], '--sync-frequency: "5" is not a duration'],
    [['--max-restart-period', '10m'], '--max-restart-period: must be from 1s to 5m'],
    [['--runtime-endpoint', 'tcp://x'], '--runtime-endpoint: "tcp://x" is neither'],
    [['--cpu-manager-policy', 'static'], '--cpu-manager-policy: static needs cgroups of pods: run as root with --runtime-endpoint'],
    [['--cpu-manager-policy', 'dynamic'], '--cpu-manager-policy: "dynamic" is not one of none, static'],
    [['--cpu-manager-policy-options', 'full'], '--cpu-manager-policy-options: "full" is not NAME=VALUE'],
    [['--reserved-memory', 'memory=1Gi'], '--reserved-memory: "memory=1Gi" is not NODE:TYPE=AMOUNT'],
    [['--node-name', 'Bad_Name'], '--node-name: "Bad_Name" is not a DNS name'],
    [['--output', 'tabel'], 'did you mean "table"?'],
    [['--log-level', 'loud'], '--log-level: "loud" is not one of'],
    [['--manifests', ''], '--manifests: a value is required'],
  ])('%j: %s', (args, message) => {
    expect(() => readRunOptions(args, {}, true)).toThrow(
      expect.objectContaining({ code: 'BAD_USAGE', message: expect.stringContaining(message) }),
    );
  });
});
