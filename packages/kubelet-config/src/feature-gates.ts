import { nearestName } from '@nodeagent/api/helpers';

/** Gates that are on by default. */
const onByDefault: ReadonlySet<string> = new Set([
  'ComponentFlagz',
  'ComponentStatusz',
  'ContainerCheckpoint',
  'ContainerRestartRules',
  'ContextualLogging',
  'CPUCFSQuotaPeriod',
  'CPUManagerPolicyBetaOptions',
  'CPUManagerPolicyOptions',
  'CSIServiceAccountTokenSecrets',
  'DisableCPUQuotaWithExclusiveCPUs',
  'DisableNodeKubeProxyVersion',
  'DRAResourceClaimDeviceStatus',
  'DynamicResourceAllocation',
  'EnvFiles',
  'ExecProbeTimeout',
  'ExtendWebSocketsToKubelet',
  'GracefulNodeShutdown',
  'GracefulNodeShutdownBasedOnPodPriority',
  'HostnameOverride',
  'ImageMaximumGCAge',
  'ImageVolume',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'KubeletCgroupDriverFromCRI',
  'KubeletCrashLoopBackOffMax',
  'KubeletEnsureSecretPulledImages',
  'KubeletFineGrainedAuthz',
  'KubeletPodResourcesGet',
  'KubeletPodResourcesListUseActivePods',
  'KubeletPSI',
  'KubeletSeparateDiskGC',
  'KubeletServiceAccountTokenForCredentialProviders',
  'LoggingBetaOptions',
  'MutableCSINodeAllocatableCount',
  'NodeDeclaredFeatures',
  'NodeLogQuery',
  'NodeSwap',
  'PLEGOnDemandRelist',
  'PodLevelResources',
  'PodLifecycleSleepAction',
  'PodLifecycleSleepActionAllowZero',
  'PodObservedGenerationTracking',
  'PodReadyToStartContainersCondition',
  'PreventStaticPodAPIReferences',
  'ProcMountType',
  'RecoverVolumeExpansionFailure',
  'RecursiveReadOnlyMounts',
  'ReloadKubeletClientCAFile',
  'ReloadKubeletServerCertificateFile',
  'ResourceHealthStatus',
  'ResourceHealthStatusMessage',
  'RestartAllContainersOnContainerExits',
  'RotateKubeletServerCertificate',
  'SELinuxMountReadWriteOncePod',
  'SidecarContainers',
  'SupplementalGroupsPolicy',
  'SystemdWatchdog',
  'TopologyManagerPolicyBetaOptions',
  'TopologyManagerPolicyOptions',
  'UserNamespacesSupport',
  'WindowsGracefulNodeShutdown',
]);

/** Gates that are off by default. */
const offByDefault: ReadonlySet<string> = new Set([
  'AllowOverwriteTerminationGracePeriodSeconds',
  'ChangeContainerStatusOnKubeletRestart',
  'ClusterTrustBundleProjection',
  'ContainerStopSignals',
  'CPUManagerPolicyAlphaOptions',
  'CRIListStreaming',
  'CSIVolumeHealth',
  'EventedPLEG',
  'GitRepoVolumeDriver',
  'ImageVolumeWithDigest',
  'InPlacePodVerticalScalingExclusiveCPUs',
  'InPlacePodVerticalScalingExclusiveMemory',
  'KubeletInUserNamespace',
  'KubeletRegistrationGetOnExistsOnly',
  'LocalStorageCapacityIsolationFSQuotaMonitoring',
  'LoggingAlphaOptions',
  'MemoryQoS',
  'PodAndContainerStatsFromCRI',
  'PodCertificateRequest',
  'PodLevelResourceManagers',
  'PodLogsQuerySplitStreams',
  'PodsAPI',
  'QOSReserved',
  'ReduceDefaultCrashLoopBackOffDecay',
  'RuntimeClassInImageCriAPI',
  'SELinuxMount',
  'TopologyManagerPolicyAlphaOptions',
  'UserNamespacesHostNetworkSupport',
]);

/** Whether a feature gate of a kubelet v1.36 is on: as configured, else its default. Only gates of the kubelet are known. */
export function isGateEnabled(configured: Readonly<Record<string, boolean>> | undefined, gate: string): boolean {
  return configured?.[gate] ?? onByDefault.has(gate);
}

/** One message for each configured gate that the kubelet does not have; other components have more gates. */
export function unknownGates(configured: Readonly<Record<string, boolean>> = {}): string[] {
  return Object.keys(configured)
    .filter((gate) => !onByDefault.has(gate) && !offByDefault.has(gate))
    .map((gate) => {
      const near = nearestName(gate, [...onByDefault, ...offByDefault]);
      return `the kubelet has no feature gate "${gate}"${near ? `; did you mean "${near}"?` : ''}`;
    });
}
