import { join } from 'node:path';
import type { ContainerConfig, KeyValue, Mount, PodSandboxConfig } from '@nodeagent/cri-api';
import { invalidArgument } from './errors.js';

/** Default PATH of a container, as in other container runtimes. */
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The validated part of a container's configuration that this runtime uses. */
export interface ContainerPlan {
  command: string[];
  env: Record<string, string>;
  cwd: string;
  stdin: boolean;
}

/**
 * Validates a container's configuration and returns what to run: command and args unchanged, without a shell; the given environment, plus
 * PATH if it is missing.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT that names the field and the container
 */
export function planContainer(config: ContainerConfig): ContainerPlan {
  const name = config.metadata?.name;
  if (name === undefined || name === '') throw invalidArgument('config.metadata.name', 'must not be empty');
  const command = [...(config.command ?? []), ...(config.args ?? [])];
  if ((command[0] ?? '') === '') {
    throw invalidArgument('config.command', `container "${name}" has no command, and the image "host" has no entrypoint`);
  }
  if (command.some((each) => each.includes('\0'))) throw invalidArgument('config.command', `container "${name}" has a NUL byte in it`);
  const cwd = config.workingDir || '/';
  if (!cwd.startsWith('/') || cwd.includes('\0')) {
    throw invalidArgument('config.working_dir', `container "${name}": "${cwd}" is not an absolute path`);
  }
  return { command, env: readEnv(name, config.envs ?? []), cwd, stdin: config.stdin ?? false };
}

/**
 * The mounts that the container cannot see, because this runtime does not mount: only mounts with equal host and container paths are
 * visible. Excludes the hosts file and the termination log, which every container of a pod has.
 */
export function unseenMounts({ mounts = [], annotations = {} }: ContainerConfig): Mount[] {
  const common = ['/etc/hosts', annotations['io.kubernetes.container.terminationMessagePath']];
  return mounts.filter(({ containerPath, hostPath }) => containerPath !== hostPath && !common.includes(containerPath));
}

/**
 * The absolute path of a container's log. It must be inside the sandbox's log folder. Empty if the container has no log.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT
 */
export function logPathOf(config: ContainerConfig, sandbox: PodSandboxConfig): string {
  if (!config.logPath || !sandbox.logDirectory) return '';
  const isFile = !['', '.'].includes(config.logPath.split('/').at(-1) ?? '');
  if (config.logPath.startsWith('/') || !isPlainPath(config.logPath) || !isFile) {
    throw invalidArgument(
      'config.log_path',
      `container "${config.metadata?.name}": "${config.logPath}" is no file in the pod's log directory`,
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
