import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { main } from '../main.js';
import { createTestConsole } from '../test-console.js';
import { loadConfigFiles } from './config-files.js';
import { runFlags } from './run-flags.js';
import { readRunOptions } from './run-options.js';

const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-config-'));
  file = join(folder, 'kubelet.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function call(...args: string[]) {
  const { console, stdout, stderr } = createTestConsole();
  const code = await main(args, console);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe('nodeagent config', () => {
  it('accepts its own printed defaults', async () => {
    const printed = await call('config', 'print-defaults');
    expect(printed.stdout).toContain(`${head}enableServer: true\n`);
    writeFileSync(file, printed.stdout);
    expect(await call('config', 'validate', file)).toEqual({ code: 0, stdout: `${file} is valid\n`, stderr: '' });
  });

  it('reports all errors', async () => {
    writeFileSync(file, `${head}maxPods: -1\nhairpinMod: none\n`);
    writeFileSync(join(folder, '10.conf'), `${head}port: 70000\n`);
    expect(await call('config', 'validate', file, '--config-dir', folder)).toEqual({
      code: 1,
      stdout: `skipped: ${file} does not end in .conf\n`,
      stderr: `error: ${file} is invalid:
  ${file}: unknown field "hairpinMod"; did you mean "hairpinMode"?
  invalid configuration: maxPods (--max-pods) -1 must not be a negative number
  invalid configuration: port (--port) 70000 must be between 1 and 65535, inclusive
`,
    });
  });
});

describe('nodeagent config validate refuses what nodeagent run refuses:', () => {
  const isOutOf32Bits = 'must be a whole number from -2147483648 to 2147483647, not 3000000000';
  it.each([
    ['evictionHard: {memory.available: 110%}', 'evictionHard: eviction percentage threshold memory.available must be <= 100%: 110%'],
    ['evictionHard: {memory.available: -5Mi}', 'evictionHard: eviction threshold memory.available must be positive: -5Mi'],
    ['evictionHard: {foo.available: 5Mi}', 'evictionHard: unsupported eviction signal foo.available'],
    ['evictionMinimumReclaim: {foo: 5Mi}', 'evictionMinimumReclaim: unsupported eviction signal foo'],
    [
      'evictionSoft: {memory.available: 5Mi}',
      'evictionSoftGracePeriod: grace period must be specified for the soft eviction threshold memory.available',
    ],
    ['maxPods: 3000000000', `maxPods: ${isOutOf32Bits}`],
    ['registryBurst: 3000000000', `registryBurst: ${isOutOf32Bits}`],
    ['logging: {verbosity: -1}', 'logging.verbosity: must be a whole number from 0 to 4294967295, not -1'],
    ['featureGates: {NodeSwap: "true", MemoryQoS: 1}', 'featureGates.NodeSwap: must be true or false, not "true"'],
    ['featureGates: {NodeSwap: "true", MemoryQoS: 1}', 'featureGates.MemoryQoS: must be true or false, not 1'],
    ['systemReserved: {cpu: 1}', 'systemReserved.cpu: must be a string, not 1'],
    ['cpuManagerPolicyOptions: {foo: "true"}', 'unknown option "resourceManagers.cpuManagerPolicyOptions.foo"'],
    ['staticPodURL: ftp://host/pods', 'staticPodURL: "ftp://host/pods" is not an http or https URL'],
    ['containerRuntimeEndpoint: tcp://host', 'containerRuntimeEndpoint: "tcp://host" is neither oci nor process nor unix:///PATH'],
  ])('%s', async (line, problem) => {
    writeFileSync(file, `${head}${line}\n`);
    const validated = await call('config', 'validate', file);
    expect(validated.stderr).toContain(problem);
    expect(validated.code).toBe(1);
    const run = await call('run', '--config', file, '--root-dir', join(folder, 'state'), '--manifests', folder);
    expect(run.stderr).toContain(problem.replace('evictionSoftGracePeriod', '--eviction-soft-grace-period'));
  });
});

describe('nodeagent run --config', () => {
  async function read(...args: string[]) {
    const all = ['--config', file, ...args];
    const files = await loadConfigFiles(runFlags({}, true), all);
    const options = readRunOptions(all, {}, true, files);
    return { options, ...options.configuration, warnings: files?.warnings };
  }

  it('merges default eviction thresholds if asked to, and distinguishes an empty map from a missing one', async () => {
    writeFileSync(
      file,
      `${head}evictionHard: {memory.available: 1Gi}\nmergeDefaultEvictionSettings: true\nevictionMaxPodGracePeriod: 30\nevictionPressureTransitionPeriod: 1m0s\nvolumeStatsAggPeriod: 30s\n`,
    );
    const { agent, warnings } = await read('--eviction-minimum-reclaim', 'memory.available=1Mi');
    expect(agent.eviction?.settings).toEqual({
      evictionHard: {
        ...{ 'memory.available': '1Gi', 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' },
        ...{ 'imagefs.available': '15%', 'imagefs.inodesFree': '5%' },
      },
      evictionMinimumReclaim: { 'memory.available': '1Mi' },
      evictionPressureTransitionPeriodMs: 60_000,
      evictionMaxPodGracePeriod: 30,
    });
    expect(agent.settings?.volumeStatsAggPeriodMs).toBe(30_000);
    expect(warnings).toEqual([]);
    writeFileSync(file, `${head}evictionHard: {}\n`);
    expect((await read()).agent.eviction?.settings?.evictionHard).toEqual({});
  });

  it('takes the cgroup driver of the OCI runtime from the file, unless a flag names one', async () => {
    writeFileSync(file, `${head}cgroupDriver: systemd\n`);
    expect((await read()).agent.settings?.cgroupDriver).toBe('systemd');
    expect((await read('--cgroup-driver', 'cgroupfs')).agent.settings?.cgroupDriver).toBe('cgroupfs');
  });

  it('merges flags over the file', async () => {
    writeFileSync(
      file,
      `${head}staticPodPath: manifests
containerRuntimeEndpoint: unix:///run/crio/crio.sock
syncFrequency: 30s
fileCheckFrequency: 5s
crashLoopBackOff: {maxContainerRestartPeriod: 10s}
clusterDNS: [10.0.0.10, 10.0.0.11]
maxPods: 20
registerWithTaints: [{key: k, value: v, effect: NoSchedule}, {key: only, effect: NoExecute}]
maxParallelImagePulls: 3
containerLogMonitorInterval: 1m
runtimeRequestTimeout: 30s
nodeStatusUpdateFrequency: 5s
nodeLeaseDurationSeconds: 20
systemReserved: {cpu: 100m}
featureGates: {MemoryQoS: true, PodAndContainerStatsFromCRI: true, InPlacePodVerticalScalingInitContainers: false}
staticPodURLHeader: {X-Token: [a, b]}
`,
    );
    const { options, warnings } = await read('--kubeconfig', 'k', '--sync-frequency', '2m', '--max-pods', '30');
    expect(warnings).toEqual([]);
    expect(options).toMatchObject({
      runtimeEndpoint: 'unix:///run/crio/crio.sock',
      configuration: {
        staticPods: { path: join(folder, 'manifests'), checkIntervalMs: 5_000, headers: { 'X-Token': 'a, b' } },
        runtime: { podAndContainerStatsFromCRI: true },
        agent: {
          settings: {
            syncFrequencyMs: 120_000,
            maxContainerRestartPeriodMs: 10_000,
            clusterDNS: ['10.0.0.10', '10.0.0.11'],
            serializeImagePulls: false,
            containerLogMonitorIntervalMs: 60_000,
          },
          imageSettings: { maxParallelImagePulls: 3, runtimeRequestTimeoutMs: 30_000 },
          runtimeOptions: { settings: { runtimeRequestTimeoutMs: 30_000, featureGates: { MemoryQoS: true } } },
        },
        cluster: {
          settings: {
            maxPods: 30,
            registerWithTaints: [
              { key: 'k', value: 'v', effect: 'NoSchedule' },
              { key: 'only', effect: 'NoExecute' },
            ],
            nodeStatusUpdateFrequencyMs: 5_000,
            nodeStatusReportFrequencyMs: 5_000,
            systemReserved: { cpu: '100m' },
          },
          leaseDurationSeconds: 20,
          featureGates: { InPlacePodVerticalScalingInitContainers: false },
        },
      },
    });
  });

  it('reads the image garbage collection and node allocatable fields', async () => {
    writeFileSync(
      file,
      `${head}imageMinimumGCAge: 5m\nimageMaximumGCAge: 72h\nimageGCHighThresholdPercent: 70\nimageGCLowThresholdPercent: 60\nenforceNodeAllocatable: [none]\n`,
    );
    const { agent, warnings } = await read();
    expect(agent.settings).toEqual({
      ...{ syncFrequencyMs: 60_000, maxContainerRestartPeriodMs: 300_000, clusterDNS: [], clusterDomain: '' },
      ...{ cgroupsPerQOS: false, devicePlugins: false },
      enforceNodeAllocatable: ['none'],
      imageMinimumGCAgeMs: 300_000,
      imageMaximumGCAgeMs: 259_200_000,
      imageGCHighThresholdPercent: 70,
      imageGCLowThresholdPercent: 60,
    });
    const { enforceNodeAllocatable } = agent.eviction?.settings ?? {};
    expect([{ enforceNodeAllocatable }, warnings]).toEqual([{ enforceNodeAllocatable: ['none'] }, []]);
    writeFileSync(file, `${head}enforceNodeAllocatable: [pods, kube-reserved]\nkubeReservedCgroup: /kube\n`);
    const reserved = await read();
    expect([reserved.agent.settings, reserved.warnings]).toEqual([expect.objectContaining({ kubeReservedCgroup: '/kube' }), []]);
  });

  it('reads the shutdown grace periods, which --shutdown-on-sigterm requires', async () => {
    writeFileSync(file, `${head}shutdownGracePeriod: 30s\nshutdownGracePeriodCriticalPods: 10s\n`);
    const { options, warnings } = await read('--shutdown-on-sigterm');
    expect([options?.shutdownOnSigterm, warnings]).toEqual([true, []]);
    expect(options.configuration.agent.shutdown).toEqual({ shutdownGracePeriodSeconds: 30, shutdownGracePeriodCriticalPodsSeconds: 10 });
    const byPriority = [{ priority: 100, shutdownGracePeriodSeconds: 20 }];
    writeFileSync(file, `${head}shutdownGracePeriodByPodPriority: ${JSON.stringify(byPriority)}\n`);
    expect((await read()).agent.shutdown).toEqual({ shutdownGracePeriodByPodPriority: byPriority });
    writeFileSync(file, head);
    await expect(read('--shutdown-on-sigterm')).rejects.toThrow('--shutdown-on-sigterm: requires a configuration');
  });

  it("keeps the agent's defaults for unset fields, and drops cluster fields without a cluster", async () => {
    writeFileSync(file, `${head}registerWithTaints: [{key: k, effect: NoSchedule}]\nproviderID: x\n`);
    const { options } = await read();
    expect(options).toMatchObject({
      runtimeEndpoint: 'process',
      podLogsDir: '/var/lib/nodeagent/logs',
      configuration: { agent: { settings: { syncFrequencyMs: 60_000 } } },
    });
    expect(options.kubeconfig).toBeUndefined();
  });

  it('reads the HTTP API, and drops its port without a cluster', async () => {
    writeFileSync(
      file,
      `${head}port: 10251
healthzPort: 10249
address: 127.0.0.1
tlsMinVersion: VersionTLS13
enableDebuggingHandlers: false
authentication: {x509: {clientCAFile: ca.crt}, webhook: {cacheTTL: 1m}}
authorization: {webhook: {cacheUnauthorizedTTL: 10s}}
`,
    );
    expect((await read()).options?.server).toEqual({
      healthz: { port: 10_249, address: '127.0.0.1' },
      settings: { enableDebuggingHandlers: false },
    });
    const { options, warnings } = await read('--kubeconfig', 'k');
    expect(warnings).toEqual([]);
    expect(options).toMatchObject({
      server: {
        https: {
          port: 10_251,
          address: '127.0.0.1',
          tls: { clientCAFile: join(folder, 'ca.crt'), minVersion: 'TLSv1.3' },
          authentication: { webhook: true, cacheTTLMs: 60_000 },
          authorization: { mode: 'Webhook', cacheUnauthorizedTTLMs: 10_000 },
        },
        settings: { enableDebuggingHandlers: false },
      },
    });
    writeFileSync(file, `${head}enableServer: false\nhealthzPort: 0\n`);
    expect((await read('--kubeconfig', 'k')).options?.server).toBeUndefined();
  });

  it('warns about unsupported fields in one line', async () => {
    writeFileSync(
      file,
      `${head}port: 10251\nreadOnlyPort: 0\nhairpinMode: none\nenableServer: true\nevictionHard: {memory.available: 1Gi}\nfeatureGates: {EventedPLEG: true, NodeSwap: true}\n`,
    );
    const { warnings } = await read();
    expect(warnings).toEqual(['unsupported configuration fields are ignored: hairpinMode, featureGates.EventedPLEG']);
  });

  it.each([
    ['syncFrequency: -1s', [], 'syncFrequency must be a duration such as 20s, 1m30s or 500ms, got "-1s"'],
    ['authorization: {mode: ABAC}', [], 'authorization.mode must be AlwaysAllow or Webhook, got "ABAC"'],
    ['containerRuntimeEndpoint: tcp://x', [], 'containerRuntimeEndpoint: "tcp://x" is neither oci nor process nor unix:///PATH'],
    ['staticPodURL: ftp://x', [], 'staticPodURL: "ftp://x" is not an http or https URL'],
    ['address: here\nreadOnlyPort: 1', [], 'address: "here" is not an IP address'],
    ['evictionHard: {memory.free: 1Gi}', [], 'evictionHard: unsupported eviction signal memory.free'],
    ['evictionSoft: {memory.available: 0.5x}', ['--eviction-hard', 'nodefs.available<5%'], 'evictionSoft: '],
  ])('%s: names the field', async (line, args, message) => {
    writeFileSync(file, `${head}${line}\n`);
    await expect(read(...args)).rejects.toMatchObject({
      code: 'BAD_USAGE',
      message: expect.stringContaining(`--config ${file}: ${message}`),
    });
  });

  it('names the flag if it is set too, and both files', async () => {
    writeFileSync(file, `${head}containerRuntimeEndpoint: unix:///run/x.sock\ntlsCertFile: tls.crt\nreadOnlyPort: 1\n`);
    await expect(read('--runtime-endpoint', 'tcp://x')).rejects.toThrow(/^--runtime-endpoint: "tcp:/);
    await expect(read('--config-dir', folder)).rejects.toThrow(
      `--config ${file} --config-dir ${folder}: tlsCertFile and --tls-private-key-file: each requires the other`,
    );
  });

  it('replaces lists and maps of the file by those of a flag as a whole', async () => {
    writeFileSync(file, `${head}evictionHard: {memory.available: 1Gi, nodefs.available: 5%}\nclusterDNS: [10.0.0.10]\n`);
    const { agent } = await read('--eviction-hard', 'pid.available<10%', '--cluster-dns', '10.0.0.11');
    expect(agent.eviction?.settings?.evictionHard).toEqual({ 'pid.available': '10%' });
    expect(agent.settings?.clusterDNS).toEqual(['10.0.0.11']);
  });

  it('rejects the same configurations as a kubelet', async () => {
    writeFileSync(file, `${head}maxPods: -1\nenforceNodeAllocatable: [pods, pods]\n`);
    expect(await call('run', '--config', file)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: failed to validate kubelet configuration, error: [invalid configuration: maxPods (--max-pods) -1 must not be a negative number, invalid configuration: duplicated enforcements "pods" in enforceNodeAllocatable (--enforce-node-allocatable)], path: ${file}\n`,
    });
  });
});
