import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Clock, type Logger, silentLogger, systemClock } from '@nodeagent/api';
import type { CredentialProvider } from './credentials.js';
import { type DockerConfig, parseDockerConfigJson, parseDockercfg } from './docker-config.js';
import { createKeyring, type Keyring } from './keyring.js';

export interface DockerConfigKeyringOptions {
  /** Default: the system clock. */
  clock?: Pick<Clock, 'monotonic'>;
  /** Folder to search first; the kubelet's is its root folder. Default: none. */
  preferredDir?: string;
  /** Folders to search. Default the working folder and, for `config.json`, `~/.docker` and `/.docker`; for `.dockercfg`, `~` and `/`. */
  dirs?: readonly string[];
  /** How long the content is cached, in milliseconds. Default 5 minutes. */
  cacheMs?: number;
  logger?: Logger;
  /** Reads a text file; rejects if it is missing. Default: the file system. */
  readText?: (path: string) => Promise<string>;
}

/**
 * The node's registry credentials, which every pod may use: from the first `config.json` found, else the first `.dockercfg`. Unreadable
 * files are ignored. Kubernetes documentation, "Images: configuring nodes to authenticate to a private registry".
 */
export function createDockerConfigKeyring(options: DockerConfigKeyringOptions = {}): CredentialProvider {
  const { clock = systemClock, preferredDir, cacheMs = 300_000, logger = silentLogger } = options;
  const readText = options.readText ?? ((path: string) => readFile(path, 'utf8'));
  const dirsOr = (defaults: string[]) => [...(preferredDir === undefined ? [] : [preferredDir]), ...(options.dirs ?? ['.', ...defaults])];
  let cached: { keyring: Promise<Keyring>; readAt: number } | undefined;

  const tryRead = async (path: string, parse: (text: string) => DockerConfig) => {
    let text: string;
    try {
      text = await readText(path);
    } catch {
      return undefined;
    }
    try {
      return parse(text);
    } catch (error) {
      logger.warn({ path, err: error }, 'ignoring an unreadable docker configuration');
      return undefined;
    }
  };

  const read = async (): Promise<Keyring> => {
    const keyring = createKeyring();
    const files = [
      ...dirsOr([join(homedir(), '.docker'), '/.docker']).map((dir) => ({ path: join(dir, 'config.json'), parse: parseDockerConfigJson })),
      ...dirsOr([homedir(), '/']).map((dir) => ({ path: join(dir, '.dockercfg'), parse: parseDockercfg })),
    ];
    for (const { path, parse } of files) {
      const config = await tryRead(path, parse);
      if (config === undefined) continue;
      for (const [address, auth] of config) keyring.add(address, auth);
      break;
    }
    return keyring;
  };

  return {
    async lookup(repository) {
      const now = clock.monotonic();
      if (cached === undefined || now - cached.readAt >= cacheMs) cached = { keyring: read(), readAt: now };
      return (await cached.keyring).lookup(repository);
    },
  };
}
