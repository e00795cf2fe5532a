import { isAbsolute } from '@nodeagent/api/helpers';
import type { ContainerConfig, KeyValue } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import type { ImageProcess } from './image-process.js';

/** PATH of a container whose image sets none. */
const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The program and its arguments: `command` replaces the image's entrypoint and its arguments, `args` only the arguments. Kubernetes,
 * "Define a Command and Arguments for a Container".
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT if neither names a program
 */
export function containerArgs({ command = [], args = [] }: Pick<ContainerConfig, 'command' | 'args'>, image: ImageProcess): string[] {
  const words = command.length > 0 ? [...command, ...args] : [...image.entrypoint, ...(args.length > 0 ? args : image.cmd)];
  if (words.length === 0) {
    throw invalidArgument(
      'config.command',
      'no command specified: the image has neither entrypoint nor command',
      'Set command in the container.',
    );
  }
  if (words.some((word) => word.includes('\0'))) throw invalidArgument('config.command', 'must have no NUL byte');
  return words;
}

/**
 * The environment: PATH, TERM for a terminal and HOSTNAME, then the variables of the image, then those of the container. A later value
 * replaces an earlier one in its place.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a name that is empty or has `=`, and for a value that is not UTF-8 or has a NUL byte
 */
export function containerEnv(
  { envs = [], tty = false }: Pick<ContainerConfig, 'envs' | 'tty'>,
  image: Pick<ImageProcess, 'env'>,
  hostname: string,
): string[] {
  const variables = new Map([['PATH', defaultPath], ...(tty ? [['TERM', 'xterm'] as const] : []), ['HOSTNAME', hostname]]);
  for (const entry of image.env) {
    const [name, value] = splitVariable(entry);
    variables.set(name, value);
  }
  for (const { key, value } of envs) variables.set(checkName(key), decodeValue(key, value));
  return [...variables].map(([name, value]) => `${name}=${value}`);
}

/** The working folder, absolute: that of the container, else of the image, else `/`. */
export function containerCwd({ workingDir = '' }: Pick<ContainerConfig, 'workingDir'>, image: Pick<ImageProcess, 'workingDir'>): string {
  const cwd = workingDir || image.workingDir || '/';
  if (isAbsolute(cwd) && !cwd.includes('\0')) return cwd;
  throw invalidArgument('config.working_dir', `"${cwd}" is not an absolute path`);
}

/** Splits `NAME=value`. A name alone has an empty value. */
function splitVariable(entry: string): [string, string] {
  const end = entry.indexOf('=');
  return end < 0 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
}

function checkName(name: string): string {
  if (name !== '' && !/[=\0]/.test(name)) return name;
  throw invalidArgument('config.envs', `"${name}" is not a name of a variable`);
}

function decodeValue(name: string, value: KeyValue['value']): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    throw invalidArgument('config.envs', `the value of ${name} is not UTF-8`);
  }
  if (text.includes('\0')) throw invalidArgument('config.envs', `the value of ${name} has a NUL byte`);
  return text;
}
