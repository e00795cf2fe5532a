import { join } from 'node:path';
import type { ContainerConfig, KeyValue, Mount, PodSandboxConfig } from '@nodeagent/cri-api';
import { invalidArgument } from './errors.js';

/** Where a container without PATH looks for programs, as container runtimes have it. */
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** What of a container's configuration this runtime uses, checked. */
export interface ContainerPlan {
  command: string[];
  env: Record<string, string>;
  cwd: string;
  stdin: boolean;
}

/**
 * Checks a container's configuration and reads what to run from it: command and args as they are, no shell, the environment as given
 * plus PATH.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT that names the field and the container
 */
export function planContainer(config: ContainerConfig): ContainerPlan {
  const name = config.metadata?.name;
  if (name === undefined || name === '') throw invalidArgument('config.metadata.name', 'must not be empty');
  const command = [...(config.command ?? []), ...(config.args ?? [])];
  if ((command[0] ?? '') === '') {
    throw invalidArgument('config.command', `container "${name}" names no command, and the image "host" has no entrypoint to run instead`);
  }
  if (command.some((each) => each.includes('\0'))) throw invalidArgument('config.command', `container "${name}" has a NUL byte in it`);
  const cwd = config.workingDir || '/';
  if (!cwd.startsWith('/') || cwd.includes('\0')) {
    throw invalidArgument('config.working_dir', `container "${name}": "${cwd}" is not an absolute path`);
  }
  return { command, env: readEnv(name, config.envs ?? []), cwd, stdin: config.stdin ?? false };
}

/**
 * The container's mounts that are not where it will look for them: this runtime mounts nothing, so only a path of the host itself is seen.
 * The hosts file and the termination log, which every container of a pod has, are left out.
 */
export function unseenMounts({ mounts = [], annotations = {} }: ContainerConfig): Mount[] {
  const common = ['/etc/hosts', annotations['io.kubernetes.container.terminationMessagePath']];
  return mounts.filter(({ containerPath, hostPath }) => containerPath !== hostPath && !common.includes(containerPath));
}

/**
 * The path of a container's log, absolute: under the sandbox's log folder, from which it must not lead out. Empty if it has none.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT
 */
export function logPathOf(config: ContainerConfig, sandbox: PodSandboxConfig): string {
  if (!config.logPath || !sandbox.logDirectory) return '';
  if (config.logPath.startsWith('/') || !isPlainPath(config.logPath)) {
    throw invalidArgument(
      'config.log_path',
      `container "${config.metadata?.name}": "${config.logPath}" leads out of the pod's log directory`,
    );
  }
  return join(checkLogDirectory(sandbox.logDirectory), config.logPath);
}

/** @throws NodeAgentError CRI_INVALID_ARGUMENT unless the folder is absolute and has no `..` */
export function checkLogDirectory(folder: string): string {
  if (!folder.startsWith('/') || !isPlainPath(folder)) {
    throw invalidArgument('config.log_directory', `"${folder}" is not an absolute path without ".."`);
  }
  return folder;
}

const isPlainPath = (path: string) => !path.includes('\0') && !path.split('/').includes('..');

function readEnv(container: string, envs: readonly KeyValue[]): Record<string, string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const entries = envs.map(({ key, value }): [string, string] => {
    if (key === '' || /[=\0]/.test(key))
      throw invalidArgument('config.envs', `container "${container}": "${key}" cannot be a variable's name`);
    let text: string;
    try {
      text = decoder.decode(value);
    } catch {
      throw invalidArgument('config.envs', `container "${container}": the value of ${key} is not UTF-8`);
    }
    if (text.includes('\0')) throw invalidArgument('config.envs', `container "${container}": the value of ${key} has a NUL byte in it`);
    return [key, text];
  });
  return Object.fromEntries([['PATH', defaultPath], ...entries]);
}
