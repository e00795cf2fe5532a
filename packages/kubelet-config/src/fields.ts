/** Type of a field. Durations and quantities are strings, as in the API. */
export type FieldKind =
  | 'bool'
  /** 32 bits with a sign, as most numbers of the API. */
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'number'
  | 'text'
  | 'duration'
  | 'durationOrNanos'
  | 'quantity'
  | 'texts'
  | 'values'
  | 'textMap'
  | 'boolMap'
  | 'listMap'
  | 'quantityMap'
  | { readonly object: Fields }
  | { readonly list: Fields };

export interface Fields {
  readonly [name: string]: FieldKind;
}

const webhookAuthentication = { enabled: 'bool', cacheTTL: 'duration' } as const;
const authentication = {
  x509: { object: { clientCAFile: 'text' } },
  webhook: { object: webhookAuthentication },
  anonymous: { object: { enabled: 'bool' } },
} as const;
const authorization = {
  mode: 'text',
  webhook: { object: { cacheAuthorizedTTL: 'duration', cacheUnauthorizedTTL: 'duration' } },
} as const;
const logOutput = { splitStream: 'bool', infoBufferSize: 'quantity' } as const;
const logging = {
  format: 'text',
  flushFrequency: 'durationOrNanos',
  verbosity: 'uint32',
  vmodule: { list: { filePattern: 'text', verbosity: 'uint32' } },
  options: { object: { text: { object: logOutput }, json: { object: logOutput } } },
} as const;

/**
 * Every field of `kubelet.config.k8s.io/v1beta1` with its type, in the order of the reference: Kubernetes documentation, Kubelet
 * Configuration (v1beta1), which describes each field. For defaults see {@link setDefaults}.
 */
export const kubeletConfigurationFields = {
  apiVersion: 'text',
  kind: 'text',

  // Pod sources.
  enableServer: 'bool',
  staticPodPath: 'text',
  podLogsDir: 'text',
  syncFrequency: 'duration',
  fileCheckFrequency: 'duration',
  httpCheckFrequency: 'duration',
  staticPodURL: 'text',
  staticPodURLHeader: 'listMap',

  // Server.
  address: 'text',
  port: 'int32',
  readOnlyPort: 'int32',
  tlsCertFile: 'text',
  tlsPrivateKeyFile: 'text',
  tlsCipherSuites: 'texts',
  tlsMinVersion: 'text',
  tlsCurvePreferences: 'values',
  rotateCertificates: 'bool',
  serverTLSBootstrap: 'bool',
  authentication: { object: authentication },
  authorization: { object: authorization },
  enableDebuggingHandlers: 'bool',
  enableContentionProfiling: 'bool',
  enableProfilingHandler: 'bool',
  enableDebugFlagsHandler: 'bool',
  enableSystemLogHandler: 'bool',
  enableSystemLogQuery: 'bool',
  healthzPort: 'int32',
  healthzBindAddress: 'text',
  streamingConnectionIdleTimeout: 'duration',
  showHiddenMetricsForVersion: 'text',
  logging: { object: logging },
  tracing: { object: { endpoint: 'text', samplingRatePerMillion: 'int32' } },

  // API server and node.
  contentType: 'text',
  kubeAPIQPS: 'int32',
  kubeAPIBurst: 'int32',
  eventRecordQPS: 'int32',
  eventBurst: 'int32',
  registerNode: 'bool',
  registerWithTaints: { list: { key: 'text', value: 'text', effect: 'text', timeAdded: 'text' } },
  providerID: 'text',
  nodeStatusUpdateFrequency: 'duration',
  nodeStatusReportFrequency: 'duration',
  nodeLeaseDurationSeconds: 'int32',
  nodeStatusMaxImages: 'int32',
  maxPods: 'int32',
  podsPerCore: 'int32',
  podCIDR: 'text',
  configMapAndSecretChangeDetectionStrategy: 'text',
  enableControllerAttachDetach: 'bool',
  volumePluginDir: 'text',
  volumeStatsAggPeriod: 'duration',

  // Runtime, images and logs.
  containerRuntimeEndpoint: 'text',
  imageServiceEndpoint: 'text',
  runtimeRequestTimeout: 'duration',
  registryPullQPS: 'int32',
  registryBurst: 'int32',
  serializeImagePulls: 'bool',
  maxParallelImagePulls: 'int32',
  imagePullCredentialsVerificationPolicy: 'text',
  preloadedImagesVerificationAllowlist: 'texts',
  imageMinimumGCAge: 'duration',
  imageMaximumGCAge: 'duration',
  imageGCHighThresholdPercent: 'int32',
  imageGCLowThresholdPercent: 'int32',
  containerLogMaxSize: 'text',
  containerLogMaxFiles: 'int32',
  containerLogMaxWorkers: 'int32',
  containerLogMonitorInterval: 'duration',
  crashLoopBackOff: { object: { maxContainerRestartPeriod: 'duration' } },

  // Pods.
  clusterDomain: 'text',
  clusterDNS: 'texts',
  resolvConf: 'text',
  hairpinMode: 'text',
  allowedUnsafeSysctls: 'texts',
  seccompDefault: 'bool',
  userNamespaces: { object: { idsPerPod: 'int64' } },
  makeIPTablesUtilChains: 'bool',
  iptablesMasqueradeBit: 'int32',
  iptablesDropBit: 'int32',
  runOnce: 'bool',

  // Resources.
  kubeletCgroups: 'text',
  systemCgroups: 'text',
  cgroupRoot: 'text',
  cgroupsPerQOS: 'bool',
  cgroupDriver: 'text',
  failCgroupV1: 'bool',
  oomScoreAdj: 'int32',
  singleProcessOOMKill: 'bool',
  cpuManagerPolicy: 'text',
  cpuManagerPolicyOptions: 'textMap',
  cpuManagerReconcilePeriod: 'duration',
  memoryManagerPolicy: 'text',
  reservedMemory: { list: { numaNode: 'int32', limits: 'quantityMap' } },
  topologyManagerPolicy: 'text',
  topologyManagerScope: 'text',
  topologyManagerPolicyOptions: 'textMap',
  qosReserved: 'textMap',
  memoryThrottlingFactor: 'number',
  memoryReservationPolicy: 'text',
  memorySwap: { object: { swapBehavior: 'text' } },
  failSwapOn: 'bool',
  podPidsLimit: 'int64',
  cpuCFSQuota: 'bool',
  cpuCFSQuotaPeriod: 'duration',
  maxOpenFiles: 'int64',
  protectKernelDefaults: 'bool',
  systemReserved: 'textMap',
  kubeReserved: 'textMap',
  reservedSystemCPUs: 'text',
  systemReservedCgroup: 'text',
  kubeReservedCgroup: 'text',
  enforceNodeAllocatable: 'texts',
  localStorageCapacityIsolation: 'bool',

  // Eviction and shutdown.
  evictionHard: 'textMap',
  evictionSoft: 'textMap',
  evictionSoftGracePeriod: 'textMap',
  evictionPressureTransitionPeriod: 'duration',
  evictionMaxPodGracePeriod: 'int32',
  evictionMinimumReclaim: 'textMap',
  mergeDefaultEvictionSettings: 'bool',
  kernelMemcgNotification: 'bool',
  shutdownGracePeriod: 'duration',
  shutdownGracePeriodCriticalPods: 'duration',
  shutdownGracePeriodByPodPriority: { list: { priority: 'int32', shutdownGracePeriodSeconds: 'int64' } },

  featureGates: 'boolMap',
} as const satisfies Fields;

type ValueOf<Kind extends FieldKind> = Kind extends 'bool'
  ? boolean
  : Kind extends 'int32' | 'int64' | 'uint32' | 'number'
    ? number
    : Kind extends 'text' | 'duration' | 'quantity'
      ? string
      : Kind extends 'texts'
        ? string[]
        : Kind extends 'durationOrNanos'
          ? string | number
          : Kind extends 'values'
            ? (string | number)[]
            : Kind extends 'textMap' | 'quantityMap'
              ? Record<string, string>
              : Kind extends 'boolMap'
                ? Record<string, boolean>
                : Kind extends 'listMap'
                  ? Record<string, string[]>
                  : Kind extends { object: infer Inner extends Fields }
                    ? ValuesOf<Inner>
                    : Kind extends { list: infer Item extends Fields }
                      ? ValuesOf<Item>[]
                      : never;

type ValuesOf<Of extends Fields> = { -readonly [Name in keyof Of]?: ValueOf<Of[Name]> };

/**
 * A KubeletConfiguration of `kubelet.config.k8s.io/v1beta1` as plain JSON: durations are strings such as `1m30s`, quantities strings such
 * as `10Mi`, sizes and counts numbers. `logging.flushFrequency` can also be a number, of nanoseconds. Meaning and default of each field:
 * Kubernetes documentation, Kubelet Configuration (v1beta1).
 */
export type KubeletConfiguration = ValuesOf<typeof kubeletConfigurationFields>;
