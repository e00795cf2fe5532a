/**
 * The decisions of a container runtime: a config.json of the OCI runtime specification from CRI requests, an image and facts of the
 * machine. Pure functions, which run anywhere.
 *
 * @packageDocumentation
 */
export { type AnnotationInput, specAnnotations } from './spec/annotations.js';
export { capabilityNames, containerCapabilities } from './spec/capabilities.js';
export { applyCdiEdits } from './spec/cdi/apply-cdi-edits.js';
export { type CdiDevices, type CdiFile, cdiEdits, cdiFolders, readCdiDevices, requestedCdiDevices } from './spec/cdi/cdi-devices.js';
export { type CdiDeviceNode, type CdiEdits, type CdiSpec, parseCdiSpec } from './spec/cdi/parse-cdi-spec.js';
export { containerCgroupPath } from './spec/cgroup-path.js';
export { containerArgs, containerCwd, containerEnv } from './spec/command.js';
export { type ContainerSpecInput, containerSpec } from './spec/container-spec.js';
export { type ContainerDevices, containerDevices, type DeviceSources, type HostDevice } from './spec/devices.js';
export { hiddenPaths } from './spec/hidden-paths.js';
export { type ImageProcess, parseImageProcess } from './spec/image-process.js';
export { type InfraSpecInput, infraSpec } from './spec/infra-spec.js';
export {
  type AppArmorFacts,
  type CgroupFacts,
  type OciMachine,
  type OciRuntimeFeatures,
  type OciRuntimeVersion,
  ociRuntimeFeatures,
  ociRuntimeVersion,
  type SelinuxFacts,
} from './spec/machine.js';
export { containerMounts, type MountInput, type SandboxFiles } from './spec/mounts.js';
export { containerNamespaces, type NamespaceInput, type PodNamespacePaths } from './spec/namespaces.js';
export type {
  OciCapabilities,
  OciDevice,
  OciDeviceRule,
  OciDeviceType,
  OciHook,
  OciHookName,
  OciHooks,
  OciIdMapping,
  OciLinux,
  OciMount,
  OciNamespace,
  OciNamespaceType,
  OciProcess,
  OciResources,
  OciRlimit,
  OciSeccomp,
  OciSpec,
  OciSyscallArgument,
  OciSyscallRule,
} from './spec/oci-spec.js';
export { type PodNamespaces, podNamespaces } from './spec/pod-namespaces.js';
export { reportedFeatures } from './spec/reported-features.js';
export { containerResources, oomScoreAdjustment } from './spec/resources.js';
export { containerSeccomp } from './spec/seccomp/container-seccomp.js';
export { defaultSeccompProfile } from './spec/seccomp/default-profile.js';
export { parseSeccompProfile } from './spec/seccomp/local-profile.js';
export { apparmorProfile, relabeledPaths, type SelinuxLabels, selinuxLabels } from './spec/security-labels.js';
export { containerStopSignal, parseStopSignal } from './spec/stop-signal.js';
export { type PodSysctl, podSysctls } from './spec/sysctls.js';
export { containerUser, type ProcessUser } from './spec/user.js';
export { type GroupEntry, type PasswdEntry, parseGroup, parsePasswd, type UserFiles } from './spec/user-files.js';
