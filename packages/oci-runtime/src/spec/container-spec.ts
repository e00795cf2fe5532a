import type { ContainerConfig, LinuxContainerResources, PodSandboxConfig } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import { specAnnotations } from './annotations.js';
import { containerCapabilities } from './capabilities.js';
import { applyCdiEdits } from './cdi/apply-cdi-edits.js';
import type { CdiEdits } from './cdi/parse-cdi-spec.js';
import { cgroupAnnotations, containerCgroupPath, podCgroupParent } from './cgroup-path.js';
import { containerArgs, containerCwd, containerEnv } from './command.js';
import { containerDevices, type HostDevice } from './devices.js';
import { hiddenPaths } from './hidden-paths.js';
import type { ImageProcess } from './image-process.js';
import type { OciMachine } from './machine.js';
import { containerMounts, type SandboxFiles } from './mounts.js';
import { containerNamespaces, hasUserNamespace, type PodNamespacePaths, userMappings, usesHostNetwork } from './namespaces.js';
import { refuseNulBytes } from './nul-bytes.js';
import type { OciProcess, OciRlimit, OciSpec } from './oci-spec.js';
import { rootPropagation } from './propagation.js';
import { containerResources, oomScoreAdjustment } from './resources.js';
import { containerSeccomp } from './seccomp/container-seccomp.js';
import { apparmorProfile, selinuxLabels } from './security-labels.js';
import { containerUser } from './user.js';
import type { UserFiles } from './user-files.js';

/** What decides the specification of a container. All that has to be read from the machine is in it. */
export interface ContainerSpecInput {
  /** The id of the container. */
  id: string;
  config: ContainerConfig;
  sandbox: PodSandboxConfig;
  sandboxId: string;
  /** `parseImageProcess` of the image's configuration. */
  image: ImageProcess;
  /** The container's root file system. */
  rootfs: string;
  /** /etc/passwd and /etc/group in that file system. */
  users: UserFiles;
  /** The pinned namespaces of the pod. */
  namespaces: PodNamespacePaths;
  /** The process namespace of the container that `targetId` names. */
  targetPid?: string;
  files: SandboxFiles;
  machine: OciMachine;
  /** See `MountInput`. */
  sources?: Readonly<Record<string, string>>;
  /** See `MountInput`. */
  mountinfo?: string;
  /** Folders of the host for the image's volumes, by their paths in the container. */
  volumes?: Readonly<Record<string, string>>;
  /** The devices of the host at or below each path that the request or `cdi` names, by that path. */
  foundDevices?: Readonly<Record<string, readonly HostDevice[]>>;
  /** All devices of the host, for a privileged container. */
  allDevices?: readonly HostDevice[];
  /** `cdiEdits` of the requested devices. */
  cdi?: readonly CdiEdits[];
  /** The text of the seccomp profile that the request names. */
  seccompProfile?: string;
  /** Annotations of the request for the runtime: see `AnnotationInput`. Default: none. */
  passedAnnotations?: readonly string[];
  /** The limits of the first process, which the CRI has no field for. Default: those of the runtime. */
  rlimits?: readonly OciRlimit[];
}

/**
 * The config.json of a container, as CRI requests, image and machine demand.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT that names the field, for a request that cannot be satisfied
 */
export function containerSpec(input: ContainerSpecInput): OciSpec {
  const { id, config, sandbox, rootfs, machine, foundDevices = {} } = input;
  const context = config.linux?.securityContext ?? {};
  const privileged = isPrivileged(input);
  const pod = podOptions(input);
  const process = containerProcess(input);
  const labels = selinuxLabels(context.selinuxOptions ?? sandbox.linux?.securityContext?.selinuxOptions, privileged, machine.selinux);
  const seccomp = containerSeccomp(context, process.capabilities.bounding, machine, input.seccompProfile);
  const propagation = rootPropagation(config.mounts ?? []);
  const { devices, rules } = containerDevices(config.devices ?? [], { privileged, found: foundDevices, all: input.allDevices });
  const spec: OciSpec = {
    ociVersion: machine.ociVersion,
    root: { path: rootfs, readonly: context.readonlyRootfs ?? false },
    process: { ...process, ...(labels && { selinuxLabel: labels.process }) },
    mounts: containerMounts({
      mounts: config.mounts ?? [],
      features: machine.features,
      files: input.files,
      readonlyFiles: context.readonlyRootfs ?? false,
      sources: input.sources,
      mountinfo: input.mountinfo,
      volumes: input.volumes,
      privileged,
      cannotMountSysfs: usesHostNetwork(pod) && hasUserNamespace(pod),
    }),
    annotations: {
      ...specAnnotations({ config, sandbox, sandboxId: input.sandboxId, passed: input.passedAnnotations }),
      ...cgroupAnnotations(machine.cgroups.driver),
    },
    linux: {
      namespaces: containerNamespaces({
        pod,
        container: context.namespaceOptions,
        privileged,
        paths: input.namespaces,
        targetPid: input.targetPid,
        cgroupVersion: machine.cgroups.version,
      }),
      ...userMappings(pod),
      devices,
      cgroupsPath: containerCgroupPath(podCgroupParent(sandbox, machine.cgroups.driver), id, machine.cgroups.driver),
      resources: { devices: rules, ...containerResources(newCgroup(config.linux?.resources), machine.cgroups) },
      ...(propagation && { rootfsPropagation: propagation }),
      ...(seccomp && { seccomp }),
      ...hiddenPaths(config.linux?.securityContext),
      ...(labels && { mountLabel: labels.files }),
    },
  };
  const edited = applyCdiEdits(spec, input.cdi ?? [], foundDevices);
  refuseNulBytes(edited);
  return edited;
}

const podOptions = ({ sandbox }: ContainerSpecInput) => sandbox.linux?.securityContext?.namespaceOptions ?? {};

function isPrivileged({ config, sandbox }: ContainerSpecInput): boolean {
  const privileged = config.linux?.securityContext?.privileged ?? false;
  if (!privileged || sandbox.linux?.securityContext?.privileged) return privileged;
  throw invalidArgument('privileged', 'no privileged container allowed in sandbox', 'The sandbox must be privileged, too.');
}

function containerProcess(input: ContainerSpecInput): OciProcess {
  const { config, image, machine, sandbox } = input;
  const context = config.linux?.securityContext ?? {};
  const hostname = usesHostNetwork(podOptions(input)) ? machine.hostname : (sandbox.hostname ?? '');
  const profile = apparmorProfile(context, machine.apparmor);
  return {
    args: containerArgs(config, image),
    env: containerEnv(config, image, hostname),
    cwd: containerCwd(config, image),
    terminal: config.tty ?? false,
    user: containerUser(context, image.user, input.users),
    noNewPrivileges: context.noNewPrivs ?? false,
    capabilities: containerCapabilities(context, machine.capabilities),
    ...(input.rlimits && { rlimits: input.rlimits }),
    oomScoreAdj: oomScoreAdjustment(config.linux?.resources ?? {}, machine),
    ...(profile !== undefined && { apparmorProfile: profile }),
  };
}

/** Without -1, no CPU limit, which a new cgroup has anyway: crun 1.8 cannot write it on cgroup v1. */
function newCgroup({ cpuQuota = 0n, ...resources }: LinuxContainerResources = {}): LinuxContainerResources {
  return { ...resources, ...(cpuQuota !== -1n && { cpuQuota }) };
}
