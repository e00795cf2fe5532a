import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { PodNetworks } from '@nodeagent/cni';
import type { PodSandboxConfig } from '@nodeagent/cri-api';
import { type RunProgram, runOrThrow } from '../programs.js';
import type { OciMachine } from '../spec/machine.js';
import type { SandboxFiles } from '../spec/mounts.js';
import { type PodNamespacePaths, rootOwner } from '../spec/namespaces.js';
import type { OciNamespaceType } from '../spec/oci-spec.js';
import { podNamespaces } from '../spec/pod-namespaces.js';
import type { PodSysctl } from '../spec/sysctls.js';
import { isRunning, type ProcessRef } from '../state/process-ref.js';
import type { SandboxRecord } from '../state/records.js';
import { requireReachable } from '../state/require-reachable.js';
import { type InfraPorts, startInfra } from './infra-process.js';
import { resolvConf } from './resolv-conf.js';
import { bindNamespaces, createUserNamespace, type UserNamespace } from './user-namespace.js';

export interface SandboxEnvironmentPorts extends InfraPorts {
  run: RunProgram;
  networks: PodNetworks;
  machine: OciMachine;
  /** Path of the network namespace of a sandbox; undefined if there is none. */
  networkNamespace(id: string): Promise<string | undefined>;
}

/** What a sandbox gives to its containers, as paths on the machine. */
export interface SandboxPaths {
  namespaces: PodNamespacePaths;
  files: SandboxFiles;
}

/** Of files that containers see. */
type FileOwner = ReturnType<typeof rootOwner>;
/** What a sandbox has once it is created. */
export interface CreatedSandbox {
  /** The addresses of the pod. */
  ips: string[];
  /** The first process of a shared process namespace. */
  infra?: ProcessRef;
}

const nodeShm = '/dev/shm';
const sysctlFolder = '/proc/sys';
/** Size of /dev/shm of a pod, as in Docker and containerd. */
const shmSize = '64m';

/**
 * Creates the namespaces of a sandbox, which exist without a process: each is bound to a file in the sandbox's folder, that of the network to one
 * of `@nodeagent/cni`. Only a shared process namespace has a process. Rejects at the first failure and leaves in the folder what it has done.
 */
export async function createSandboxEnvironment(
  folder: string,
  id: string,
  config: PodSandboxConfig,
  ports: SandboxEnvironmentPorts,
  signal?: AbortSignal,
): Promise<CreatedSandbox> {
  const { run, machine } = ports;
  const { pinned, sharesProcesses, hostname, sysctls, mappings } = podNamespaces(config, machine.hostname);
  const owner = rootOwner(mappings);
  if (mappings !== undefined) requireReachable(folder);
  writePodFiles(folder, config, hostname, owner);
  const userNamespace = mappings && (await createUserNamespace(pinned, mappings));
  let ips: string[] = [];
  try {
    await pinNamespaces(folder, pinned, owner, run, userNamespace);
    if (pinned.includes('network')) ips = await setUpNetwork(id, config, ports, userNamespace?.pathOf('network'), signal);
  } finally {
    await userNamespace?.close();
  }
  const paths = await sandboxPaths(folder, { id, config }, ports);
  const ofHostname = pinned.includes('uts') && hostname !== '' ? [hostnameSysctl(hostname)] : [];
  await writeSysctls(folder, [...sysctls, ...ofHostname], paths.namespaces, run);
  if (!sharesProcesses) return { ips };
  return { ips, infra: await startInfra(folder, { id, sandbox: config, paths: paths.namespaces }, ports) };
}

async function setUpNetwork(
  id: string,
  { metadata, portMappings: requested = [], annotations, dnsConfig, linux }: PodSandboxConfig,
  { networks }: SandboxEnvironmentPorts,
  namespace: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const portMappings = requested.map(({ containerPort = 0, ...mapping }) => ({ containerPort, ...mapping }));
  const pod = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid: metadata?.uid ?? '' };
  const request = { containerId: id, pod, annotations, portMappings, dnsConfig, cgroupPath: linux?.cgroupParent };
  return (await networks.setUp({ ...request, ...(namespace !== undefined && { namespace }) }, signal)).ips;
}

/** The paths of a sandbox that was created, by what exists on the disk. */
export async function sandboxPaths(
  folder: string,
  { id, config, infra }: Pick<SandboxRecord, 'id' | 'config' | 'infra'>,
  { networkNamespace, machine }: Pick<SandboxEnvironmentPorts, 'networkNamespace' | 'machine'>,
): Promise<SandboxPaths> {
  const { pinned } = podNamespaces(config, machine.hostname);
  const network = pinned.includes('network') ? await networkNamespace(id) : undefined;
  return {
    namespaces: {
      ...(network !== undefined && { network }),
      ...(pinned.includes('user') && { user: join(folder, 'user') }),
      ...(pinned.includes('ipc') && { ipc: join(folder, 'ipc') }),
      ...(pinned.includes('uts') && { uts: join(folder, 'uts') }),
      ...(infra && isRunning(infra) && { pid: `/proc/${infra.pid}/ns/pid` }),
    },
    files: {
      shm: pinned.includes('ipc') ? join(folder, 'shm') : nodeShm,
      ...(existsSync(join(folder, 'hostname')) && { hostname: join(folder, 'hostname') }),
      ...(existsSync(join(folder, 'resolv.conf')) && { resolvConf: join(folder, 'resolv.conf') }),
    },
  };
}

/**
 * resolv.conf without a DNS configuration is a copy of the node's, because containers may write to theirs.
 *
 * @param owner - of the files: root in the pod
 */
function writePodFiles(folder: string, { dnsConfig }: PodSandboxConfig, hostname: string, { uid, gid }: FileOwner): void {
  const nodeFile = '/etc/resolv.conf';
  const text = resolvConf(dnsConfig) ?? (existsSync(nodeFile) ? readFileSync(nodeFile) : undefined);
  for (const [name, content] of Object.entries({ hostname: `${hostname}\n`, 'resolv.conf': text })) {
    if (content === undefined) continue;
    writeFileSync(join(folder, name), content, { mode: 0o644 });
    chownSync(join(folder, name), uid, gid);
  }
}

/**
 * Binds the namespaces of a user namespace, or new ones by one unshare(1), which ends as mount(8) for /dev/shm: that has the IPC namespace of the
 * pod, and the mounts of the machine.
 */
async function pinNamespaces(
  folder: string,
  pinned: readonly OciNamespaceType[],
  owner: FileOwner,
  run: RunProgram,
  userNamespace: UserNamespace | undefined,
): Promise<void> {
  // That of the network is pinned by `@nodeagent/cni`.
  const types = pinned.filter((type) => type !== 'network');
  const shm = pinned.includes('ipc') ? shmMount(join(folder, 'shm'), owner) : undefined;
  if (userNamespace !== undefined) {
    await bindNamespaces(userNamespace, folder, types, run);
    if (shm !== undefined) await runOrThrow(run, ...shm);
  } else if (types.length > 0) {
    for (const name of types) writeFileSync(join(folder, name), '', { mode: 0o444 });
    const [program, args] = shm ?? ['true', []];
    await runOrThrow(run, 'unshare', [...types.map((name) => `--${name}=${join(folder, name)}`), '--', program, ...args]);
  }
}

function shmMount(path: string, { uid, gid }: FileOwner): [program: string, args: string[]] {
  mkdirSync(path);
  const options = `nosuid,nodev,noexec,mode=1777,uid=${uid},gid=${gid},size=${shmSize}`;
  return ['mount', ['-t', 'tmpfs', '-o', options, 'shm', path]];
}

/** The host name is a parameter of its namespace too, so it needs no other program. */
const hostnameSysctl = (value: string): PodSysctl => ({
  name: 'kernel.hostname',
  value,
  namespace: 'uts',
  path: `${sysctlFolder}/kernel/hostname`,
});

/** Parameters of IPC accept only root in the user namespace. */
async function writeSysctls(folder: string, sysctls: readonly PodSysctl[], paths: PodNamespacePaths, run: RunProgram): Promise<void> {
  const isOfUser = ({ namespace }: PodSysctl) => namespace === 'ipc' && paths.user !== undefined;
  const others = sysctls.filter((sysctl) => !isOfUser(sysctl));
  await copySysctls(join(folder, 'sysctls'), others, paths, run);
  await copySysctls(join(folder, 'user-sysctls'), sysctls.filter(isOfUser), paths, run, `--user=${paths.user}`);
}

/** Copies a tree of files with the values by one program: what is below /proc/sys is that of the namespaces of the process that writes it. */
async function copySysctls(
  tree: string,
  sysctls: readonly PodSysctl[],
  paths: PodNamespacePaths,
  run: RunProgram,
  ...user: string[]
): Promise<void> {
  if (sysctls.length === 0) return;
  for (const { path, value } of sysctls) {
    const file = join(tree, relative(sysctlFolder, path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${value}\n`, { mode: 0o644 });
  }
  const options = { network: `--net=${paths.network}`, ipc: `--ipc=${paths.ipc}`, uts: `--uts=${paths.uts}` };
  const namespaces = new Set(sysctls.map(({ namespace }) => options[namespace as keyof typeof options]));
  await runOrThrow(run, 'nsenter', [...user, ...namespaces, '--', 'cp', '-r', '--no-target-directory', tree, sysctlFolder]);
}
