/**
 * Kubernetes rules that several parts of a node agent need: pure functions, most of them about pods. They need no Node.
 *
 * @packageDocumentation
 */

export { type Backoff, type BackoffOptions, backOffAfter, createBackoff, maxContainerBackOffMs } from './helpers/backoff.js';
export { decodeBase64, encodeBase64 } from './helpers/base64.js';
export {
  type CgroupDriverName,
  type CgroupName,
  cgroupfsPath,
  childCgroup,
  parseCgroupfsPath,
  parseSystemdPath,
  podCgroupName,
  systemdPath,
} from './helpers/cgroup-name.js';
export { type CheckpointSaver, createCheckpointSaver } from './helpers/checkpoint-saver.js';
export {
  defaultCpuPeriod,
  milliCpuToQuota,
  milliCpuToShares,
} from './helpers/cpu.js';
export { CpuSet } from './helpers/cpuset.js';
export { crashLoopDelay, crashLoopMessage, crashLoopResetMs } from './helpers/crash-loop.js';
export { defaultEvictionHard } from './helpers/default-eviction-hard.js';
export {
  containerResourceValue,
  fieldPathValue,
  type PodRuntimeFacts,
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
  type VariableLookup,
} from './helpers/expansion.js';
export { afterFailure, type ExponentialBackoff } from './helpers/exponential-backoff.js';
export { fileOwners, fsUserOf } from './helpers/file-owners.js';
export { fnv1a32, fnv1a128 } from './helpers/fnv.js';
export { frozenCopy } from './helpers/frozen-copy.js';
export { dumpGoMap, dumpGoSlice, dumpGoStruct } from './helpers/go-dump.js';
export { parseGoBool } from './helpers/go-values.js';
export { applyDefaultImageTag, type ImageName, parseImageName } from './helpers/image-name.js';
export { type Int64Input, toInt64 } from './helpers/int64-input.js';
export { canonicalIP, isInSubnet, isIP, isIPv4, isIPv6 } from './helpers/ip-address.js';
export { isObject } from './helpers/is-object.js';
export { cleanPath, hasBackstep, isPathBelow, isPathWithinBase, relativePath } from './helpers/lexical-paths.js';
export { type LockHolder, lockHolderText } from './helpers/lock-holder.js';
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
export { numaNodeSets } from './helpers/numa-node-sets.js';
export { basename, dirname, isAbsolute, join, normalize } from './helpers/paths.js';
export {
  configHashAnnotation,
  configMirrorAnnotation,
  configSeenAnnotation,
  configSourceAnnotation,
  containerReference,
  findContainer,
  formatPod,
  isCriticalPod,
  isMirrorPod,
  isMirrorPodOf,
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
export { reportedPodIPs } from './helpers/pod-ips.js';
export { podResizeDetails } from './helpers/pod-resize-details.js';
export {
  aggregateContainerRequests,
  formatResourceList,
  hasPodLevelResources,
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
export { isExtendedResource, isHugePages } from './helpers/resource-names.js';
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
export { serviceEnvironment } from './helpers/service-environment.js';
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
export { sha256 } from './helpers/sha256.js';
export { maxSocketPathBytes, socketPathHint, socketPathProblem } from './helpers/socket-path.js';
export { describeStep, describeSteps } from './helpers/sync-steps.js';
export { quoteText } from './helpers/text.js';
export { formatNanos, formatTime, parseTime } from './helpers/time.js';
export { findUntoleratedTaint, type TolerationOptions, tolerates, toleratesAny } from './helpers/toleration.js';
export { compareBytes, compareUtf8, decodeUtf8, encodeUtf8, utf8Length } from './helpers/utf8.js';
export {
  hasClaim,
  volumeClaimName,
  volumeDiskUse,
  volumeReferences,
} from './helpers/volume.js';
export { escapePluginName, unescapePluginName, type VolumePaths, volumePaths } from './helpers/volume-paths.js';
export { isBlockVolume, specName } from './helpers/volume-spec.js';
export { concatBytes, latin1 } from './http/bytes.js';
export { type HttpConnection, type HttpGetRequest, type HttpGetResponse, httpGetOver } from './http/http-get.js';
