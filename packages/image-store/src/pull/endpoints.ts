import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage } from '@nodeagent/api';
import { parse } from 'smol-toml';
import { defaultEndpoint, invalidConfig, type RegistryEndpoint, splitRepository } from '../registry/endpoint.js';
import { hostsFolderNames, hostsTomlEndpoints } from '../registry/hosts-toml.js';
import { registriesConfEndpoints } from '../registry/registries-conf.js';

/** Where the registries of this machine are configured. */
export interface RegistryConfigPaths {
  /** A folder with a folder for each registry, as containerd's `certs.d`. Default: none. */
  hostsDirectory?: string;
  /** A file as `/etc/containers/registries.conf`; it applies to registries without a folder in `hostsDirectory`. Default: none. */
  registriesConf?: string;
}

/** The endpoints of a repository by the files of this machine, which each pull reads. Rejects with `InvalidRegistryConfig`. */
export async function configuredEndpoints(
  { hostsDirectory, registriesConf }: RegistryConfigPaths,
  repository: string,
  isDigest: boolean,
): Promise<RegistryEndpoint[]> {
  for (const name of hostsDirectory === undefined ? [] : hostsFolderNames(splitRepository(repository).registry)) {
    const folder = join(hostsDirectory ?? '', name);
    const path = join(folder, 'hosts.toml');
    const config = await readToml(path);
    if (config !== undefined) return naming(path, () => hostsTomlEndpoints(config, repository, folder));
  }
  const config = registriesConf === undefined ? undefined : await readToml(registriesConf);
  const found = config && naming(registriesConf ?? '', () => registriesConfEndpoints(config, repository, isDigest));
  return found ?? [defaultEndpoint(repository)];
}

async function readToml(path: string): Promise<Record<string, unknown> | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return parse(text);
  } catch (error) {
    throw invalidConfig('the file', `is not TOML: ${errorMessage(error).split('\n')[0]}`, path);
  }
}

/** Names the file in an error about one of its fields. */
function naming<T>(path: string, evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof Error) error.message = `${path}: ${error.message}`;
    throw error;
  }
}
