import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PodNetworks } from '@nodeagent/cni';
import type { PodSandboxConfig } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import { type RunProgram, runOrThrow } from '../programs.js';
import type { OciMachine } from '../spec/machine.js';
import type { SandboxFiles } from '../spec/mounts.js';
import type { PodNamespacePaths } from '../spec/namespaces.js';
import { podNamespaces } from '../spec/pod-namespaces.js';
import { type InfraPorts, infraNamespace, startInfra } from './infra-process.js';
import { resolvConf } from './resolv-conf.js';

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

const nodeShm = '/dev/shm';
/** Size of /dev/shm of a pod, as in Docker and containerd. */
const shmSize = '64m';

/**
 * Creates the namespaces of a sandbox, which exist without a process: each is bound to a file in the sandbox's folder, that of the network to one
 * of `@nodeagent/cni`. Only a shared process namespace has a process. Returns the addresses of the pod. Rejects at the first failure and leaves
 * in the folder what it has done.
 */
export async function createSandboxEnvironment(
  folder: string,
  id: string,
  config: PodSandboxConfig,
  ports: SandboxEnvironmentPorts,
  signal?: AbortSignal,
): Promise<string[]> {
  const { run, networks, machine } = ports;
  const { pinned, sharesProcesses, hostname, sysctls } = podNamespaces(config, machine.hostname);
  if (pinned.includes('user')) throw invalidArgument('userns_options', 'the OCI runtime has no user namespaces');
  writePodFiles(folder, config, hostname);
  await pinNamespaces(folder, pinned.includes('uts') ? hostname : '', pinned, run);
  if (pinned.includes('ipc')) await mountShm(join(folder, 'shm'), run);
  let ips: string[] = [];
  if (pinned.includes('network')) {
    const { name = '', namespace = '', uid = '' } = config.metadata ?? {};
    const portMappings = (config.portMappings ?? []).map(({ containerPort = 0, ...mapping }) => ({ containerPort, ...mapping }));
    const { annotations, dnsConfig, linux } = config;
    const pod = { name, namespace, uid };
    ({ ips } = await networks.setUp(
      { containerId: id, pod, annotations, portMappings, dnsConfig, cgroupPath: linux?.cgroupParent },
      signal,
    ));
  }
  const paths = await sandboxPaths(folder, id, config, ports);
  for (const { namespace, path, value } of sysctls) {
    const own = paths.namespaces[namespace as keyof PodNamespacePaths];
    if (own !== undefined) await writeSysctl(folder, `--${namespace === 'network' ? 'net' : namespace}=${own}`, path, value, run);
  }
  if (sharesProcesses) await startInfra(folder, { id, sandbox: config, paths: paths.namespaces }, ports);
  return ips;
}

/** The paths of a sandbox that was created, by what exists on the disk. */
export async function sandboxPaths(
  folder: string,
  id: string,
  config: PodSandboxConfig,
  { networkNamespace, machine }: Pick<SandboxEnvironmentPorts, 'networkNamespace' | 'machine'>,
): Promise<SandboxPaths> {
  const { pinned, sharesProcesses } = podNamespaces(config, machine.hostname);
  const network = pinned.includes('network') ? await networkNamespace(id) : undefined;
  const pid = sharesProcesses ? infraNamespace(folder) : undefined;
  return {
    namespaces: {
      ...(network !== undefined && { network }),
      ...(pinned.includes('ipc') && { ipc: join(folder, 'ipc') }),
      ...(pinned.includes('uts') && { uts: join(folder, 'uts') }),
      ...(pid !== undefined && { pid }),
    },
    files: {
      shm: pinned.includes('ipc') ? join(folder, 'shm') : nodeShm,
      ...(existsSync(join(folder, 'hostname')) && { hostname: join(folder, 'hostname') }),
      ...(existsSync(join(folder, 'resolv.conf')) && { resolvConf: join(folder, 'resolv.conf') }),
    },
  };
}

/** resolv.conf without a DNS configuration is a copy of the node's, because containers may write to theirs. */
function writePodFiles(folder: string, { dnsConfig }: PodSandboxConfig, hostname: string): void {
  writeFileSync(join(folder, 'hostname'), `${hostname}\n`, { mode: 0o644 });
  const text = resolvConf(dnsConfig);
  if (text !== undefined) writeFileSync(join(folder, 'resolv.conf'), text, { mode: 0o644 });
  else if (existsSync('/etc/resolv.conf')) copyFileSync('/etc/resolv.conf', join(folder, 'resolv.conf'));
}

/** By one unshare(1), which binds the new namespaces to files and ends. */
async function pinNamespaces(folder: string, hostname: string, pinned: readonly string[], run: RunProgram): Promise<void> {
  const names = pinned.filter((name) => name === 'uts' || name === 'ipc');
  if (names.length === 0) return;
  for (const name of names) writeFileSync(join(folder, name), '', { mode: 0o444 });
  const program = hostname === '' ? ['true'] : ['hostname', '--', hostname];
  await runOrThrow(run, 'unshare', [...names.map((name) => `--${name}=${join(folder, name)}`), '--', ...program]);
}

async function mountShm(path: string, run: RunProgram): Promise<void> {
  mkdirSync(path);
  await runOrThrow(run, 'mount', ['-t', 'tmpfs', '-o', `nosuid,nodev,noexec,mode=1777,size=${shmSize}`, 'shm', path]);
}

/** Copies a file with the value: what is below /proc/sys is that of the namespaces of the process that writes it. */
async function writeSysctl(folder: string, namespace: string, path: string, value: string, run: RunProgram): Promise<void> {
  const file = join(folder, 'sysctl');
  writeFileSync(file, `${value}\n`);
  await runOrThrow(run, 'nsenter', [namespace, '--', 'cp', '--no-target-directory', file, path]);
}
