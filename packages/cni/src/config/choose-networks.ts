import { errorCode, errorMessage } from '@nodeagent/api';
import { compareUtf8, isObject } from '@nodeagent/api/helpers';
import type { CniNetwork } from '../types.js';
import { type ConfigurationFile, isConfigurationList, parseNetwork } from './parse-network.js';

/** The files of the folder for configurations, and of a network's folder in it. */
export interface ConfigurationFiles {
  files: readonly ConfigurationFile[];
  /** The `.conf` files of the folder of a network's name. */
  dropIns(network: string): readonly ConfigurationFile[];
}

/** The networks of a folder, and why other files of it are none. */
export interface Networks {
  /** By file name: the first is the default network. */
  networks: readonly CniNetwork[];
  problems: readonly { file: string; error: unknown }[];
}

/** Whether the folder's reader takes a file for a configuration. An installer's temporary file (`05-net.conflist.tmp`) is none. */
export const isConfigurationName = (name: string): boolean => /\.(conf|conflist|json)$/.test(name);

/** The valid networks of the files in the order of their names. Of two networks with one name the first counts. */
export function chooseNetworks({ files, dropIns }: ConfigurationFiles): Networks {
  const networks: CniNetwork[] = [];
  const problems: { file: string; error: unknown }[] = [];
  for (const file of files.filter(({ name }) => isConfigurationName(name)).toSorted((a, b) => compareUtf8(a.name, b.name))) {
    try {
      const folder = dropInFolder(file);
      const network = parseNetwork(file, folder === undefined ? [] : dropIns(folder));
      if (networks.some(({ name }) => name === network.name)) throw new Error(`another file has the network "${network.name}"`);
      networks.push(network);
    } catch (error) {
      problems.push({ file: file.name, error });
    }
  }
  return { networks, problems };
}

/** The name of the folder that has further plugins of a list; undefined if the file has none, or is invalid. */
export function dropInFolder({ text }: ConfigurationFile): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !isConfigurationList(value) || [true, 'true'].includes(value.loadOnlyInlinedPlugins as boolean)) return;
    return typeof value.name === 'string' && /^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(value.name) ? value.name : undefined;
  } catch {
    return undefined;
  }
}

/** The text of CRI's `NetworkReady` condition if the folder has no valid network. */
export function notReadyMessage(folder: string, { problems }: Pick<Networks, 'problems'>): string {
  const reasons = problems.map(({ file, error }) =>
    errorCode(error) === undefined ? `${file}: ${errorMessage(error)}` : errorMessage(error),
  );
  return `no network config found in ${folder}: cni plugin not initialized${reasons.map((reason) => `; ${reason}`).join('')}`;
}
