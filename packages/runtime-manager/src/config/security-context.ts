import type { Container, Pod, SELinuxOptions } from '@nodeagent/api';
import { podContainers } from '@nodeagent/api/helpers';
import type {
  Int64Value,
  LinuxContainerSecurityContext,
  LinuxSandboxSecurityContext,
  SELinuxOption,
  SupplementalGroupsPolicy,
  UserNamespace,
} from '@nodeagent/cri-api';
import { effectiveUser, type ImageUser } from '../users/run-as-non-root.js';
import { namespaceOptions } from './namespaces.js';
import { appArmorProfile, seccompProfile } from './security-profiles.js';

/** The masked paths in `/proc` and `/sys`: the common default of container runtimes. */
const maskedPaths = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

export interface SecurityContextInputs {
  /** Groups that the pod's volumes need. */
  extraGroups: readonly number[];
  userNamespace: UserNamespace;
}

/** The security context of a pod's sandbox. Without one in the spec the runtime chooses the sandbox's namespaces. */
export function sandboxSecurityContext(pod: Pod, { extraGroups, userNamespace }: SecurityContextInputs): LinuxSandboxSecurityContext {
  const securityContext = pod.spec?.securityContext;
  const context: LinuxSandboxSecurityContext = {
    privileged: [...podContainers(pod)].some(({ container }) => container.securityContext?.privileged ?? false),
    seccomp: { profileType: 'RuntimeDefault' },
  };
  if (!securityContext) return context;
  const { runAsUser, runAsGroup, fsGroup, supplementalGroups, supplementalGroupsPolicy, seLinuxOptions } = securityContext;
  return {
    ...context,
    namespaceOptions: namespaceOptions(pod, userNamespace),
    ...userAndGroup(runAsUser, runAsGroup),
    supplementalGroups: [...optional(fsGroup), ...extraGroups, ...(supplementalGroups ?? [])].map(BigInt),
    ...(supplementalGroupsPolicy && { supplementalGroupsPolicy: groupsPolicy(supplementalGroupsPolicy) }),
    ...(seLinuxOptions && { selinuxOptions: seLinux(seLinuxOptions) }),
  };
}

export interface ContainerSecurityInputs extends SecurityContextInputs {
  imageUser: ImageUser;
  /** The container whose processes an ephemeral container sees. */
  targetContainerId?: string;
  seccompDir: string;
  seccompDefault: boolean;
  /** Paths to mask in addition to the default ones. */
  maskedPaths?: readonly string[];
}

/** A container's security context: its fields override the pod's. Kubernetes documentation, "Configure a Security Context". */
export function containerSecurityContext(pod: Pod, container: Container, inputs: ContainerSecurityInputs): LinuxContainerSecurityContext {
  const own = container.securityContext;
  const ofPod = pod.spec?.securityContext;
  const { runAsUser, runAsGroup } = effectiveUser(pod, container);
  const appArmor = appArmorProfile(pod, container);
  const selinux = own?.seLinuxOptions ?? ofPod?.seLinuxOptions;
  const unmasked = own?.procMount === 'Unmasked';
  const { imageUser } = inputs;
  const supplementalGroups = [...optional(ofPod?.fsGroup), ...(ofPod?.supplementalGroups ?? []), ...inputs.extraGroups];
  return {
    ...(own?.capabilities && {
      capabilities: { addCapabilities: own.capabilities.add ?? [], dropCapabilities: own.capabilities.drop ?? [] },
    }),
    privileged: own?.privileged ?? false,
    namespaceOptions: namespaceOptions(pod, inputs.userNamespace, inputs.targetContainerId),
    ...(selinux && { selinuxOptions: seLinux(selinux) }),
    ...userAndGroup(runAsUser, runAsGroup),
    ...(runAsUser === undefined && imageUser?.uid !== undefined && { runAsUser: { value: imageUser.uid } }),
    ...(runAsUser === undefined && imageUser?.username !== undefined && { runAsUsername: imageUser.username }),
    readonlyRootfs: own?.readOnlyRootFilesystem ?? false,
    supplementalGroups: supplementalGroups.map(BigInt),
    ...(ofPod?.supplementalGroupsPolicy && { supplementalGroupsPolicy: groupsPolicy(ofPod.supplementalGroupsPolicy) }),
    noNewPrivs: own?.allowPrivilegeEscalation === false,
    maskedPaths: unmasked ? [] : [...maskedPaths, ...(inputs.maskedPaths ?? [])],
    readonlyPaths: unmasked ? [] : readonlyPaths,
    seccomp: seccompProfile(pod, container, inputs),
    ...(appArmor && { apparmor: appArmor.profile, apparmorProfile: appArmor.deprecated }),
  };
}

function userAndGroup(user: number | undefined, group: number | undefined): { runAsUser?: Int64Value; runAsGroup?: Int64Value } {
  return {
    ...(user !== undefined && user !== null && { runAsUser: { value: BigInt(user) } }),
    ...(group !== undefined && group !== null && { runAsGroup: { value: BigInt(group) } }),
  };
}

const optional = (group: number | null | undefined): number[] => (group === undefined || group === null ? [] : [group]);

const groupsPolicy = (policy: string): SupplementalGroupsPolicy => (policy === 'Strict' ? 'Strict' : 'Merge');

const seLinux = ({ user = '', role = '', type = '', level = '' }: SELinuxOptions): SELinuxOption => ({ user, role, type, level });
