import { type KubeletConfiguration, kubeletConfigurationFields, setDefaults } from '@nodeagent/kubelet-config';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createManualSource, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createNodeAgent } from '../create-node-agent.js';
import { memoryHost } from '../host/memory-host.js';
import type { AgentConfiguration } from './agent-configuration.js';
import { agentOptionsFrom } from './agent-options-from.js';
import { type UnsupportedField, unsupportedFields } from './unsupported-fields.js';

type Field = keyof KubeletConfiguration;
type Case<Name extends Field> = [value: NonNullable<KubeletConfiguration[Name]>, expected: Partial<AgentConfiguration>];

const settings = (changed: AgentConfiguration['agent']['settings']) => ({ agent: { settings: changed } });
const images = (changed: AgentConfiguration['agent']['imageSettings']) => ({ agent: { imageSettings: changed } });
const runtime = (changed: NonNullable<AgentConfiguration['agent']['runtimeOptions']>['settings']) => ({
  agent: { runtimeOptions: { settings: changed } },
});
const eviction = (changed: NonNullable<AgentConfiguration['agent']['eviction']>['settings']) => ({
  agent: { eviction: { settings: changed } },
});
const everyNode = (changed: object) => ({ agent: { node: changed }, cluster: { settings: changed } });
const managers = (changed: AgentConfiguration['agent']['resourceManagers']) => ({ agent: { resourceManagers: changed } });
const server = (changed: AgentConfiguration['server']) => ({ server: changed });

/** A value of each supported field and what it becomes. A field that is neither here nor unsupported does not compile. */
const cases: { [Name in Exclude<Field, UnsupportedField>]: Case<Name> } = {
  apiVersion: ['kubelet.config.k8s.io/v1beta1', {}],
  kind: ['KubeletConfiguration', {}],

  enableServer: [false, server({ https: { port: 0 }, readOnly: { port: 0 } })],
  staticPodPath: ['/pods', { staticPods: { path: '/pods' } }],
  podLogsDir: ['/logs', { agent: { podLogsDir: '/logs' } }],
  syncFrequency: ['1m30s', settings({ syncFrequencyMs: 90_000 })],
  fileCheckFrequency: ['500ms', { staticPods: { checkIntervalMs: 500 } }],
  staticPodURL: ['http://h/pods', { staticPods: { url: 'http://h/pods' } }],
  staticPodURLHeader: [{ 'X-Token': ['a', 'b'] }, { staticPods: { headers: { 'X-Token': 'a, b' } } }],

  address: ['::1', server({ https: { address: '::1' }, readOnly: { address: '::1' } })],
  port: [1, server({ https: { port: 1 } })],
  readOnlyPort: [2, server({ readOnly: { port: 2 } })],
  rotateCertificates: [true, { certificates: { rotateCertificates: true } }],
  serverTLSBootstrap: [true, { certificates: { serverTLSBootstrap: true } }],
  tlsCertFile: ['/tls.crt', server({ https: { tls: { certFile: '/tls.crt' } } })],
  tlsPrivateKeyFile: ['/tls.key', server({ https: { tls: { keyFile: '/tls.key' } } })],
  tlsCipherSuites: [
    ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
    server({ https: { tls: { ciphers: expect.stringContaining('ECDHE-RSA-AES128') } } }),
  ],
  tlsMinVersion: ['VersionTLS13', server({ https: { tls: { minVersion: 'TLSv1.3' } } })],
  authentication: [
    { x509: { clientCAFile: '/ca' }, webhook: { enabled: true, cacheTTL: '1m' }, anonymous: { enabled: false } },
    server({ https: { tls: { clientCAFile: '/ca' }, authentication: { webhook: true, cacheTTLMs: 60_000, anonymous: false } } }),
  ],
  authorization: [
    { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '1m', cacheUnauthorizedTTL: '10s' } },
    server({ https: { authorization: { mode: 'Webhook', cacheAuthorizedTTLMs: 60_000, cacheUnauthorizedTTLMs: 10_000 } } }),
  ],
  enableDebuggingHandlers: [false, server({ settings: { enableDebuggingHandlers: false } })],
  enableProfilingHandler: [false, server({ settings: { enableProfilingHandler: false } })],
  enableDebugFlagsHandler: [false, server({ settings: { enableDebugFlagsHandler: false } })],
  enableSystemLogHandler: [false, server({ settings: { enableSystemLogHandler: false } })],
  healthzPort: [3, server({ healthz: { port: 3 } })],
  healthzBindAddress: ['::', server({ healthz: { address: '::' } })],

  registerNode: [false, { cluster: { settings: { registerNode: false } } }],
  registerWithTaints: [
    [
      { key: 'a', value: 'b', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' },
      { key: 'c', value: '', effect: 'NoExecute' },
    ],
    {
      cluster: {
        settings: {
          registerWithTaints: [
            { key: 'a', value: 'b', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' },
            { key: 'c', effect: 'NoExecute' },
          ],
        },
      },
    },
  ],
  providerID: ['x://1', { cluster: { settings: { providerID: 'x://1' } } }],
  nodeStatusUpdateFrequency: ['5s', { cluster: { settings: { nodeStatusUpdateFrequencyMs: 5_000, nodeStatusReportFrequencyMs: 5_000 } } }],
  nodeStatusReportFrequency: ['1m', { cluster: { settings: { nodeStatusReportFrequencyMs: 60_000 } } }],
  nodeLeaseDurationSeconds: [20, { cluster: { leaseDurationSeconds: 20 } }],
  nodeStatusMaxImages: [-1, { cluster: { settings: { nodeStatusMaxImages: -1 } } }],
  maxPods: [20, everyNode({ maxPods: 20 })],
  podsPerCore: [4, everyNode({ podsPerCore: 4 })],
  enableControllerAttachDetach: [false, { cluster: { settings: { enableControllerAttachDetach: false } } }],
  volumeStatsAggPeriod: ['30s', settings({ volumeStatsAggPeriodMs: 30_000 })],

  containerRuntimeEndpoint: ['unix:///run/x.sock', { runtime: { endpoint: 'unix:///run/x.sock' } }],
  imageServiceEndpoint: ['unix:///run/y.sock', { runtime: { imageEndpoint: 'unix:///run/y.sock' } }],
  runtimeRequestTimeout: [
    '30s',
    { agent: { imageSettings: { runtimeRequestTimeoutMs: 30_000 }, runtimeOptions: { settings: { runtimeRequestTimeoutMs: 30_000 } } } },
  ],
  registryPullQPS: [1, images({ registryPullQPS: 1 })],
  registryBurst: [2, images({ registryBurst: 2 })],
  serializeImagePulls: [false, settings({ serializeImagePulls: false })],
  maxParallelImagePulls: [3, { agent: { imageSettings: { maxParallelImagePulls: 3 }, settings: { serializeImagePulls: false } } }],
  imagePullCredentialsVerificationPolicy: ['AlwaysVerify', images({ imagePullCredentialsVerificationPolicy: 'AlwaysVerify' })],
  preloadedImagesVerificationAllowlist: [['a/*'], images({ preloadedImagesVerificationAllowlist: ['a/*'] })],
  imageMinimumGCAge: ['5m', settings({ imageMinimumGCAgeMs: 300_000 })],
  imageMaximumGCAge: ['72h', settings({ imageMaximumGCAgeMs: 259_200_000 })],
  imageGCHighThresholdPercent: [70, settings({ imageGCHighThresholdPercent: 70 })],
  imageGCLowThresholdPercent: [60, settings({ imageGCLowThresholdPercent: 60 })],
  containerLogMaxSize: ['10Ki', settings({ containerLogMaxSize: '10Ki' })],
  containerLogMaxFiles: [3, settings({ containerLogMaxFiles: 3 })],
  containerLogMaxWorkers: [2, settings({ containerLogMaxWorkers: 2 })],
  containerLogMonitorInterval: ['3s', settings({ containerLogMonitorIntervalMs: 3_000 })],
  crashLoopBackOff: [{ maxContainerRestartPeriod: '10s' }, settings({ maxContainerRestartPeriodMs: 10_000 })],

  clusterDomain: ['cluster.local', settings({ clusterDomain: 'cluster.local' })],
  clusterDNS: [['10.0.0.10'], settings({ clusterDNS: ['10.0.0.10'] })],
  resolvConf: ['/r', settings({ resolvConf: '/r' })],
  allowedUnsafeSysctls: [['a.b'], { agent: { node: { allowedUnsafeSysctls: ['a.b'] } }, cluster: { allowedUnsafeSysctls: ['a.b'] } }],
  seccompDefault: [true, runtime({ seccompDefault: true })],

  cpuManagerPolicy: ['static', managers({ cpuManagerPolicy: 'static' })],
  cpuManagerPolicyOptions: [{ 'full-pcpus-only': 'true' }, managers({ cpuManagerPolicyOptions: { 'full-pcpus-only': 'true' } })],
  cpuManagerReconcilePeriod: ['5s', managers({ cpuManagerReconcilePeriodMs: 5_000 })],
  reservedSystemCPUs: ['0-1', managers({ reservedSystemCPUs: '0-1' })],
  memoryManagerPolicy: ['Static', managers({ memoryManagerPolicy: 'Static' })],
  reservedMemory: [
    [{ numaNode: 0, limits: { memory: '1Gi' } }],
    managers({ reservedMemory: [{ numaNode: 0, limits: { memory: '1Gi' } }] }),
  ],
  topologyManagerPolicy: ['restricted', managers({ topologyManagerPolicy: 'restricted' })],
  topologyManagerScope: ['pod', managers({ topologyManagerScope: 'pod' })],
  topologyManagerPolicyOptions: [
    { 'prefer-closest-numa-nodes': 'true' },
    managers({ topologyManagerPolicyOptions: { 'prefer-closest-numa-nodes': 'true' } }),
  ],

  cgroupsPerQOS: [true, settings({ cgroupsPerQOS: true })],
  cgroupDriver: ['systemd', settings({ cgroupDriver: 'systemd' })],
  cgroupRoot: ['/edge', settings({ cgroupRoot: '/edge' })],
  systemReservedCgroup: ['/system', settings({ systemReservedCgroup: '/system' })],
  kubeReservedCgroup: ['/kube', settings({ kubeReservedCgroup: '/kube' })],
  podPidsLimit: [100, settings({ podPidsLimit: 100 })],
  protectKernelDefaults: [true, settings({ protectKernelDefaults: true })],
  qosReserved: [{}, {}],
  failSwapOn: [true, settings({ failSwapOn: true })],
  failCgroupV1: [true, settings({ failCgroupV1: true })],
  oomScoreAdj: [-500, settings({ oomScoreAdj: -500 })],
  singleProcessOOMKill: [true, runtime({ singleProcessOOMKill: true })],
  memoryThrottlingFactor: [0.8, runtime({ memoryThrottlingFactor: 0.8 })],
  memoryReservationPolicy: ['TieredReservation', runtime({ memoryReservationPolicy: 'TieredReservation' })],
  memorySwap: [{ swapBehavior: 'LimitedSwap' }, runtime({ swapBehavior: 'LimitedSwap' })],
  cpuCFSQuota: [false, runtime({ cpuCFSQuota: false })],
  cpuCFSQuotaPeriod: ['10ms', runtime({ cpuCFSQuotaPeriodMs: 10 })],
  systemReserved: [{ cpu: '100m' }, everyNode({ systemReserved: { cpu: '100m' } })],
  kubeReserved: [{ memory: '1Gi' }, everyNode({ kubeReserved: { memory: '1Gi' } })],
  enforceNodeAllocatable: [
    ['none'],
    { agent: { eviction: { settings: { enforceNodeAllocatable: ['none'] } }, settings: { enforceNodeAllocatable: ['none'] } } },
  ],
  localStorageCapacityIsolation: [
    false,
    { ...eviction({ localStorageCapacityIsolation: false }), cluster: { settings: { localStorageCapacityIsolation: false } } },
  ],

  evictionHard: [{ 'memory.available': '1Gi' }, eviction({ evictionHard: { 'memory.available': '1Gi' } })],
  evictionSoft: [{ 'memory.available': '2Gi' }, eviction({ evictionSoft: { 'memory.available': '2Gi' } })],
  evictionSoftGracePeriod: [{ 'memory.available': '1m' }, eviction({ evictionSoftGracePeriod: { 'memory.available': '1m' } })],
  evictionPressureTransitionPeriod: ['1m', eviction({ evictionPressureTransitionPeriodMs: 60_000 })],
  evictionMaxPodGracePeriod: [30, eviction({ evictionMaxPodGracePeriod: 30 })],
  evictionMinimumReclaim: [{ 'memory.available': '1Mi' }, eviction({ evictionMinimumReclaim: { 'memory.available': '1Mi' } })],
  mergeDefaultEvictionSettings: [true, {}],
  shutdownGracePeriod: ['30s', { agent: { shutdown: { shutdownGracePeriodSeconds: 30 } } }],
  shutdownGracePeriodCriticalPods: ['10s', { agent: { shutdown: { shutdownGracePeriodCriticalPodsSeconds: 10 } } }],
  shutdownGracePeriodByPodPriority: [
    [{ priority: 100, shutdownGracePeriodSeconds: 20 }],
    { agent: { shutdown: { shutdownGracePeriodByPodPriority: [{ priority: 100, shutdownGracePeriodSeconds: 20 }] } } },
  ],

  featureGates: [
    { MemoryQoS: true, NodeDeclaredFeatures: false, PodAndContainerStatsFromCRI: true, CPUManagerPolicyAlphaOptions: true },
    {
      agent: {
        ...runtime({ featureGates: { MemoryQoS: true } }).agent,
        ...managers({ featureGates: { CPUManagerPolicyAlphaOptions: true } }).agent,
      },
      cluster: { featureGates: { NodeDeclaredFeatures: false } },
      runtime: { podAndContainerStatsFromCRI: true },
    },
  ],
};

const nothing = { agent: {}, cluster: {}, runtime: {}, staticPods: {}, server: {}, certificates: {}, ignored: [] };
const fields = Object.keys(kubeletConfigurationFields) as Field[];
const supported = Object.entries(cases) as [Field, Case<Field>][];

describe('agentOptionsFrom', () => {
  it('supports each field or lists it as unsupported', () => {
    expect([...Object.keys(cases), ...unsupportedFields].sort()).toEqual([...fields].sort());
  });

  it.each(supported)('converts %s', (field, [value, expected]) => {
    expect(agentOptionsFrom({ [field]: value })).toEqual({ ...nothing, ...expected });
  });

  it.each(unsupportedFields)('names %s if it differs from its default', (field) => {
    const changed = { bool: [true, false], text: ['x', 'y'], integer: [7, 8] } as const;
    const kind = kubeletConfigurationFields[field];
    const values = typeof kind === 'string' && kind in changed ? changed[kind as keyof typeof changed] : [['x'], { x: 'y' }];
    const fallback = setDefaults({})[field];
    const value = values.find((each) => each !== fallback && each !== false) ?? values[1];
    expect(agentOptionsFrom({ [field]: value })).toEqual({ ...nothing, ignored: [field] });
    expect(agentOptionsFrom({ [field]: fallback })).toEqual(nothing);
  });

  it('converts only the given fields', () => {
    const configuration = setDefaults({ maxPods: 20, syncFrequency: '5s' });
    expect(agentOptionsFrom(configuration, ['maxPods'])).toEqual({ ...nothing, ...everyNode({ maxPods: 20 }) });
    expect(agentOptionsFrom(configuration, [])).toEqual(nothing);
  });

  it('reports the parts of fields that it does not support', () => {
    const { ignored } = agentOptionsFrom({
      tlsMinVersion: 'VersionTLS10',
      tlsCipherSuites: ['TLS_RSA_WITH_RC4_128_SHA'],
      cgroupDriver: 'other',
      volumeStatsAggPeriod: '-1s',
      featureGates: { EventedPLEG: true, NodeSwap: true, CRIListStreaming: false },
    });
    expect(ignored).toEqual([...['tlsMinVersion', 'tlsCipherSuites', 'cgroupDriver', 'volumeStatsAggPeriod'], 'featureGates.EventedPLEG']);
  });

  it('reads qosReserved with its gate', () => {
    const read = (qosReserved: Record<string, string>) => agentOptionsFrom({ qosReserved, featureGates: { QOSReserved: true } });
    expect(read({ memory: '50%' })).toMatchObject({ ...settings({ qosReservedMemoryPercent: 50 }), ignored: [] });
    expect(agentOptionsFrom({ qosReserved: { memory: '50%' } })).toEqual({ ...nothing, ignored: ['qosReserved'] });
    expect(() => read({ memory: '150%' })).toThrow('qosReserved.memory must be a percentage such as 50%');
    expect(() => read({ cpu: '50%' })).toThrow('qosReserved must be a map with the key memory only');
  });

  it('reads empty texts, lists and durations of 0 as the agent does', () => {
    const empty = { staticPodPath: '', staticPodURL: '', podLogsDir: '', providerID: '', address: '', tlsCertFile: '' };
    expect(agentOptionsFrom({ ...empty, shutdownGracePeriod: '0s', tlsCipherSuites: [], tlsMinVersion: 'VersionTLS12' })).toEqual(nothing);
  });

  it('switches the ports off without enableServer, in any order', () => {
    for (const configuration of [
      { enableServer: false, port: 1, readOnlyPort: 2 },
      { port: 1, readOnlyPort: 2, enableServer: false },
    ])
      expect(agentOptionsFrom(configuration).server).toEqual({ https: { port: 0 }, readOnly: { port: 0 } });
  });

  it('keeps the default thresholds that mergeDefaultEvictionSettings asks for', () => {
    const { agent } = agentOptionsFrom({ evictionHard: { 'memory.available': '1Gi' }, mergeDefaultEvictionSettings: true });
    expect(agent.eviction?.settings?.evictionHard).toMatchObject({ 'memory.available': '1Gi', 'nodefs.available': '10%' });
  });

  it.each<[KubeletConfiguration, string, string]>([
    [{ syncFrequency: 'fast' }, 'syncFrequency', 'syncFrequency must be a duration such as 20s, 1m30s or 500ms, got "fast"'],
    [{ syncFrequency: '0s' }, 'syncFrequency', 'got "0s"'],
    [{ fileCheckFrequency: '-1s' }, 'fileCheckFrequency', 'got "-1s"'],
    [{ crashLoopBackOff: { maxContainerRestartPeriod: '5' } }, 'crashLoopBackOff.maxContainerRestartPeriod', 'got "5"'],
    [{ evictionMaxPodGracePeriod: -1 }, 'evictionMaxPodGracePeriod', 'must be a number of seconds, 0 or more, got -1'],
    [{ authentication: { webhook: { cacheTTL: 'x' } } }, 'authentication.webhook.cacheTTL', 'got "x"'],
    [{ authorization: { mode: 'ABAC' } }, 'authorization.mode', 'authorization.mode must be AlwaysAllow or Webhook, got "ABAC"'],
    [{ registerWithTaints: [{ effect: 'NoSchedule' }] }, 'registerWithTaints[0].key', 'must be the key of a taint, got ""'],
    [{ registerWithTaints: [{ key: 'k', effect: 'No' }] }, 'registerWithTaints[0].effect', 'must be one of NoSchedule, '],
  ])('rejects %j', (configuration, field, message) => {
    expect(() => agentOptionsFrom(configuration)).toThrow(
      expect.objectContaining({ code: 'InvalidOption', message: expect.stringContaining(message), details: { field } }),
    );
  });

  it('returns valid options of an agent', () => {
    const { agent, ignored } = agentOptionsFrom(setDefaults({ maxPods: 20, syncFrequency: '5s' }));
    const clock = createVirtualClock();
    const { runtime: service, image } = createMemoryRuntime({ clock });
    const common = { nodeName: 'node-1', rootDir: '/r', sources: [createManualSource([])], cri: { runtime: service, image }, clock };
    const { eviction: _, ...options } = agent;
    expect(() => createNodeAgent({ ...common, host: memoryHost(), ...options })).not.toThrow();
    expect(ignored).toEqual([]);
  });
});
