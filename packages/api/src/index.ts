/**
 * Shared types of a node agent: Kubernetes object types, the contracts between subsystems, and pure helpers.
 *
 * @packageDocumentation
 */
export { abortable } from './clock/abortable.js';
export { abandonAtDeadline, type Deadline, withDeadline } from './clock/deadline.js';
export { onAbort } from './clock/on-abort.js';
export { createRunLoop, type RunLoop } from './clock/run-loop.js';
export { settlesWithin } from './clock/settles-within.js';
export { sleepWith } from './clock/sleep.js';
export { systemClock, systemRandom } from './clock/system-clock.js';
export { withController } from './clock/with-controller.js';
export type * from './contracts/allocation.js';
export { type Channel, createChannel } from './contracts/channel.js';
export type * from './contracts/clock.js';
export { errorCode, errorHint, errorMessage, NodeAgentError, type NodeAgentErrorOptions } from './contracts/errors.js';
export { type EventRecorder, type EventType, noEvents } from './contracts/events.js';
export type { EvictionReserve } from './contracts/eviction.js';
export type * from './contracts/image-manager.js';
export type * from './contracts/kube-api.js';
export type * from './contracts/lifecycle.js';
export { type Logger, type LogMethod, silentLogger } from './contracts/logger.js';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type MetricDefinition,
  type MetricLabels,
  type Metrics,
  noMetrics,
} from './contracts/metrics.js';
export type * from './contracts/mounter.js';
export type * from './contracts/pleg.js';
export type * from './contracts/pod-admission.js';
export type * from './contracts/pod-source.js';
export type * from './contracts/pod-workers.js';
export type * from './contracts/probe-manager.js';
export type * from './contracts/runtime.js';
export type * from './contracts/runtime-capabilities.js';
export type * from './contracts/stats-provider.js';
export type * from './contracts/status-manager.js';
export type * from './contracts/status-sink.js';
export type * from './contracts/sub-path.js';
export type * from './contracts/timeline.js';
export type * from './contracts/topology.js';
export type * from './contracts/volume-manager.js';
export type * from './contracts/volume-node.js';
export type * from './contracts/volume-plugin.js';
export type * from './contracts/volume-stats.js';
export { apiErrorCodes } from './errors.js';
export { type CheckpointFile, type CheckpointFileOptions, createCheckpointFile } from './files/checkpoint-file.js';
export { type CheckpointSaver, createCheckpointSaver } from './files/checkpoint-saver.js';
export { type LockHolder, lockExclusively, lockHolderText, lockOnMachine } from './files/exclusive-lock.js';
export { handlePath, pathOnly } from './files/file-handles.js';
export { fileSystemUsage } from './files/file-system-usage.js';
export { openRegularFile, type RegularFile, readRegularFile } from './files/regular-file.js';
export { removeTree } from './files/remove-tree.js';
export { replaceFile } from './files/replace-file.js';
export {
  type CheckpointedPodResources,
  decodeResourcesCheckpoint,
  encodeResourcesCheckpoint,
  type ResourcesCheckpoint,
} from './files/resources-checkpoint.js';
export { type ShortFolder, shortFolderPath } from './files/short-path.js';
export { createTextFile } from './files/text-file.js';
export type { TreeEntry, WalkTree } from './files/tree-entry.js';
export { unlinkIfExists, unlinkIfExistsSync } from './files/unlink-if-exists.js';
export { walkTree, walkTreeInThread } from './files/walk-tree.js';
export { admissionError, admissionReason } from './helpers/admission-error.js';
export { apiStatusError, apiStatusOf, isApiReason, objectKey } from './helpers/api-status.js';
export { type Backoff, type BackoffOptions, createBackoff, maxContainerBackOffMs } from './helpers/backoff.js';
export {
  type CgroupDriverName,
  type CgroupName,
  cgroupfsPath,
  childCgroup,
  isSystemdPath,
  parseCgroupfsPath,
  parseSystemdPath,
  podCgroupName,
  systemdPath,
} from './helpers/cgroup-name.js';
export {
  cpuWeightToShares,
  defaultCpuPeriod,
  milliCpuToQuota,
  milliCpuToShares,
  quotaToMilliCpu,
  sharesToCpuWeight,
  sharesToMilliCpu,
} from './helpers/cpu.js';
export { CpuSet } from './helpers/cpuset.js';
export { defaultEvictionHard } from './helpers/default-eviction-hard.js';
export { checkResolvConfLimits, type DnsWarning, type PodDns, type PodDnsInput, podDns } from './helpers/dns.js';
export {
  containerResourceValue,
  fieldPathValue,
  formatMap,
  type PodRuntimeFacts,
  podFieldValue,
  resourceFieldValue,
} from './helpers/downward-api.js';
export { formatDuration, parseDuration } from './helpers/duration.js';
export { parseEnvFile } from './helpers/env-file.js';
export { type EnvironmentSources, makeEnvironmentVariables } from './helpers/environment.js';
export { type EnvironmentPorts, gatherEnvironmentSources } from './helpers/environment-sources.js';
export { equalJson } from './helpers/equal-json.js';
export {
  type EnvironmentVariable,
  expand,
  expandContainerArgs,
  expandContainerCommand,
  expandSubPathExpr,
  lookupIn,
  type VariableLookup,
} from './helpers/expansion.js';
export { afterFailure, type ExponentialBackoff, isSafeToRetry, safeToRetryAt } from './helpers/exponential-backoff.js';
export { fileOwners, fsUserOf } from './helpers/file-owners.js';
export { fnv1a32, fnv1a64, fnv1a128 } from './helpers/fnv.js';
export { frozenCopy } from './helpers/frozen-copy.js';
export { dumpGoMap, dumpGoSlice, dumpGoStruct } from './helpers/go-dump.js';
export { parseGoBool, parseGoInt } from './helpers/go-values.js';
export { podHostnameAndDomain, sandboxHostname } from './helpers/hostname.js';
export { type HostsFileInput, managedHostsFile, managesHostsFile } from './helpers/hosts-file.js';
export { applyDefaultImageTag, type ImageName, parseImageName } from './helpers/image-name.js';
export { type Int64Input, toInt64 } from './helpers/int64-input.js';
export { isObject } from './helpers/is-object.js';
export { mergePatch } from './helpers/merge-patch.js';
export {
  csiDriverNameProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from './helpers/names.js';
export { nearestName } from './helpers/nearest-name.js';
export { matchesNodeAffinity, matchesNodeSelector } from './helpers/node-affinity.js';
export { defaultNodeName } from './helpers/node-name.js';
export { isNarrowerNodeSet, numaNodeSets } from './helpers/numa-node-sets.js';
export { oomScoreAdjust } from './helpers/oom-score.js';
export { failedOperationText, operationBackOff, operationExists } from './helpers/operation-errors.js';
export { createOperationMap, type OperationMap } from './helpers/operation-map.js';
export { checkOptionNames, type OptionNames } from './helpers/option-names.js';
export { invalidOption, invalidOptionText, requirePositive } from './helpers/options.js';
export { isPathBelow } from './helpers/path-below.js';
export {
  configHashAnnotation,
  configMirrorAnnotation,
  configSeenAnnotation,
  configSourceAnnotation,
  containerReference,
  findContainer,
  formatPod,
  hasSidecars,
  isCriticalPod,
  isMirrorPod,
  isMirrorPodOf,
  isPreemptable,
  isSidecar,
  isStaticPod,
  isTerminalPhase,
  podContainers,
  podFullName,
  podKey,
  podReference,
  podUid,
  systemCriticalPriority,
} from './helpers/pod.js';
export { orderPodIPs, reportedPodIPs } from './helpers/pod-ips.js';
export { podResizeDetails } from './helpers/pod-resize-details.js';
export {
  aggregateContainerRequests,
  formatResourceList,
  hasPodLevelResources,
  isPodLevelResource,
  type PodResourceOptions,
  parseResourceList,
  podLimits,
  podRequests,
  type ResourceQuantities,
  resourceRequest,
} from './helpers/pod-resources.js';
export {
  allContainerStatuses,
  findContainerStatus,
  findPodCondition,
  isPodAvailable,
  isPodConditionTrue,
  isPodReady,
  replaceOrAppendCondition,
  terminatedByKubelet,
} from './helpers/pod-status.js';
export { metricHead, metricLabels, metricValue } from './helpers/prometheus.js';
export { computeQosClass, podQosClass, type QosClass } from './helpers/qos.js';
export { Quantity } from './helpers/quantity.js';
export type { QuantityFormat } from './helpers/quantity-parse.js';
export { type DnsConfig, parseResolvConf } from './helpers/resolv-conf.js';
export { isExtendedResource, isHugePages, isScalarResource } from './helpers/resource-names.js';
export {
  effectiveRestartPolicy,
  isRestartable,
  matchingRestartRule,
  newestInstance,
  shouldContainerBeRestarted,
  shouldRestartOnExit,
} from './helpers/restart.js';
export { podSandboxChanged, type SandboxChange } from './helpers/sandbox-changed.js';
export { matchesLabelSelector, matchesLabels } from './helpers/selector.js';
export { hasClusterIP, serviceEnvironment, servicesForPod } from './helpers/service-environment.js';
export {
  checkSetting,
  choiceOf,
  completeSettings,
  defaultsOf,
  type GivenSettings,
  notNegative,
  numberFrom,
  pickSettings,
  positive,
  type Setting,
  type SettingCheck,
  type SettingsOf,
  type SettingTable,
  settingNames,
  wholeNumberFrom,
} from './helpers/settings.js';
export { describeStep, describeSteps } from './helpers/sync-steps.js';
export { quoteText } from './helpers/text.js';
export { formatNanos, formatTime, parseTime } from './helpers/time.js';
export { findUntoleratedTaint, type TolerationOptions, tolerates, toleratesAny } from './helpers/toleration.js';
export {
  hasClaim,
  volumeClaimName,
  volumeDiskUse,
  volumeReferences,
} from './helpers/volume.js';
export {
  infeasibleExpansion,
  inUseExpansion,
  isInfeasibleError,
  isInUseExpansionError,
  isOperationFinished,
  isUncertainProgress,
  transientOperationFailure,
  uncertainProgress,
} from './helpers/volume-errors.js';
export { escapePluginName, unescapePluginName, type VolumePaths, volumePaths } from './helpers/volume-paths.js';
export { isBlockVolume, specName } from './helpers/volume-spec.js';
export { type HttpConnection, type HttpGetRequest, type HttpGetResponse, httpGetOver } from './http/http-get.js';
export type * from './objects/access.js';
export type * from './objects/cluster.js';
export type * from './objects/config.js';
export type * from './objects/container.js';
export type * from './objects/downward-api.js';
export type * from './objects/event.js';
export type * from './objects/lease.js';
export type * from './objects/meta.js';
export type * from './objects/node.js';
export type * from './objects/persistent-volume-claim.js';
export type * from './objects/pod.js';
export type * from './objects/pod-status.js';
export type * from './objects/resource-claim.js';
export type * from './objects/stats.js';
export type * from './objects/storage.js';
export type * from './objects/volume.js';
export type * from './objects/volume-projection.js';
export type * from './objects/volume-reference.js';
export type * from './objects/volume-sources.js';
export { volumeSources } from './objects/volume-sources.js';
export { type CertificateContent, type CertificateKey, issueCertificate } from './x509/certificate.js';
export { type CertificateRequestContent, createCertificateRequest } from './x509/certificate-request.js';
export type { CertificateSubject } from './x509/names.js';
export { type CertificateRequest, parseCertificateRequest } from './x509/parse-certificate-request.js';
