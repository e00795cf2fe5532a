import { join } from 'node:path';
import { checkOptionNames } from '@nodeagent/api';
import type { Cni, CniOptions } from '../cni.js';
import { createCni } from '../create-cni.js';
import { createFolderTexts } from './folder-texts.js';
import { createNetworkFolder, type NetworkFolderOptions } from './network-folder.js';
import { createPluginRunner, type PluginRunnerOptions } from './plugin-runner.js';

export interface NodeCniOptions
  extends NetworkFolderOptions,
    PluginRunnerOptions,
    Partial<Pick<CniOptions, 'networks' | 'plugins' | 'timeoutMs' | 'maxParallel'>> {
  /** Folder of the attachments: their results in `results`, those that are not finished in `attempts`. Default `/var/lib/cni`. */
  cacheDir?: string;
}

/** The {@link Cni} of this machine. Does no I/O before `start`. `networks` and `plugins` replace the folders. */
export function createNodeCni(options: NodeCniOptions = {}): Cni {
  checkOptionNames<NodeCniOptions>('createNodeCni', options, {
    cacheDir: true,
    configDir: true,
    pluginDirs: true,
    networks: true,
    plugins: true,
    timeoutMs: true,
    maxParallel: true,
    clock: true,
    logger: true,
  });
  const { cacheDir = '/var/lib/cni', configDir, pluginDirs, networks, plugins, ...rest } = options;
  const { clock, logger } = rest;
  const ports = { ...(clock && { clock }), ...(logger && { logger }) };
  return createCni({
    ...rest,
    networks: networks ?? createNetworkFolder({ ...ports, ...(configDir !== undefined && { configDir }) }),
    plugins: plugins ?? createPluginRunner({ ...(clock && { clock }), ...(pluginDirs && { pluginDirs }) }),
    results: createFolderTexts(join(cacheDir, 'results')),
    attempts: createFolderTexts(join(cacheDir, 'attempts')),
  });
}
