import { isObject } from '@nodeagent/api/helpers';
import { invalidArgument } from '../errors.js';

/** How an image's program runs: `config` of an image configuration. */
export interface ImageProcess {
  entrypoint: readonly string[];
  cmd: readonly string[];
  /** `NAME=value` */
  env: readonly string[];
  /** `user`, `uid`, `user:group`, `uid:gid`, or mixed; empty for root. */
  user: string;
  /** Empty for `/`. */
  workingDir: string;
  /** As in the image, such as `SIGQUIT` or `3`: for `parseStopSignal`. */
  stopSignal: string;
  /** Folders whose content outlives the container's writable layer. */
  volumes: readonly string[];
}

/**
 * Reads an image configuration. Absent members are empty. OCI image specification, "Image Configuration".
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a text that is no image configuration, and for a member of another type
 */
export function parseImageProcess(text: string): ImageProcess {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidArgument('image', 'its configuration is not JSON');
  }
  const config = (isObject(value) ? value.config : undefined) ?? {};
  if (!isObject(config)) throw invalidArgument('image', 'config must be an object');
  const volumes = config.Volumes ?? {};
  if (!isObject(volumes)) throw invalidArgument('image', 'config.Volumes must be an object');
  return {
    entrypoint: listOf(config, 'Entrypoint'),
    cmd: listOf(config, 'Cmd'),
    env: listOf(config, 'Env'),
    user: textOf(config, 'User'),
    workingDir: textOf(config, 'WorkingDir'),
    stopSignal: textOf(config, 'StopSignal'),
    volumes: Object.keys(volumes),
  };
}

function listOf(config: Record<string, unknown>, name: string): string[] {
  const list = config[name] ?? [];
  if (Array.isArray(list) && list.every((entry) => typeof entry === 'string' && !entry.includes('\0'))) return list;
  throw invalidArgument('image', `config.${name} must be a list of texts without NUL bytes`);
}

function textOf(config: Record<string, unknown>, name: string): string {
  const text = config[name] ?? '';
  if (typeof text === 'string' && !text.includes('\0')) return text;
  throw invalidArgument('image', `config.${name} must be a text without NUL bytes`);
}
