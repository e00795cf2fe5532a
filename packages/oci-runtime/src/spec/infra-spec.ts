import type { PodSandboxConfig } from '@nodeagent/cri-api';
import { cgroupAnnotations, containerCgroupPath, podCgroupParent } from './cgroup-path.js';
import { containerDevices } from './devices.js';
import { hiddenPaths } from './hidden-paths.js';
import type { OciMachine } from './machine.js';
import { containerNamespaces, type PodNamespacePaths, userMappings } from './namespaces.js';
import type { OciSpec } from './oci-spec.js';
import { containerResources, oomScoreAdjustment } from './resources.js';
import { defaultSeccompProfile } from './seccomp/default-profile.js';

/** What decides the specification of the first process of a pod with a shared process namespace. */
export interface InfraSpecInput {
  id: string;
  sandbox: PodSandboxConfig;
  /** An empty folder. */
  rootfs: string;
  /** Path on the host of a statically linked init that reaps processes without starting one, such as Debian's catatonit with `-P`. */
  init: string;
  paths: PodNamespacePaths;
  machine: OciMachine;
}

const initPath = '/init';
/** The OOM score adjustment and the user of the kubelet's pause container. */
const sandboxOomScoreAdj = -998n;
const unprivilegedId = 65535;

/**
 * The specification of the first process of a shared process namespace: a tiny init with nothing else in its file system, without
 * privileges, which reaps the processes that containers leave behind.
 */
export function infraSpec({ id, sandbox, rootfs, init, paths, machine }: InfraSpecInput): OciSpec {
  const { securityContext = {} } = sandbox.linux ?? {};
  const pod = securityContext.namespaceOptions ?? {};
  const { rules } = containerDevices([], { privileged: false });
  const none: string[] = [];
  return {
    ociVersion: machine.ociVersion,
    root: { path: rootfs, readonly: true },
    process: {
      args: [initPath, '-P'],
      env: [],
      cwd: '/',
      terminal: false,
      user: {
        uid: Number(securityContext.runAsUser?.value ?? unprivilegedId),
        gid: Number(securityContext.runAsGroup?.value ?? unprivilegedId),
      },
      noNewPrivileges: true,
      capabilities: { bounding: none, effective: none, permitted: none, inheritable: none, ambient: none },
      oomScoreAdj: oomScoreAdjustment({ oomScoreAdj: sandboxOomScoreAdj }, machine),
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev', 'ro'] },
      // crun makes the default devices, also where the root file system has no folder for them.
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'noexec', 'mode=755', 'size=64k'] },
      { destination: initPath, type: 'bind', source: init, options: ['bind', 'rprivate', 'ro', 'nosuid', 'nodev'] },
    ],
    annotations: cgroupAnnotations(machine.cgroups.driver),
    linux: {
      namespaces: containerNamespaces({
        pod,
        container: { pid: 'CONTAINER' },
        privileged: false,
        paths,
        cgroupVersion: machine.cgroups.version,
      }),
      ...userMappings(pod),
      devices: [],
      cgroupsPath: containerCgroupPath(podCgroupParent(sandbox, machine.cgroups.driver), id, machine.cgroups.driver),
      resources: { devices: rules, ...containerResources({ cpuShares: 2n }, machine.cgroups) },
      ...(machine.hasSeccomp && { seccomp: defaultSeccompProfile([], machine.architecture) }),
      ...hiddenPaths(undefined),
    },
  };
}
