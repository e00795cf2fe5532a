import { NodeAgentError } from '../contracts/errors.js';
import { invalidOption } from '../contracts/options.js';
import { apiErrorCodes } from '../errors.js';
import { cleanPath } from './lexical-paths.js';

/** A plugin's name in directory paths: `kubernetes.io~csi` for `kubernetes.io/csi`. */
export const escapePluginName = (name: string) => name.replaceAll('/', '~');

/** Undoes {@link escapePluginName}. */
export const unescapePluginName = (name: string) => name.replaceAll('~', '/');

/** Volume paths below the agent's root directory, in the kubelet's layout. */
export interface VolumePaths {
  /** `pods` */
  pods: string;
  /** `pods/<uid>` */
  pod(uid: string): string;
  /** `pods/<uid>/volumes` */
  podVolumes(uid: string): string;
  /** `pods/<uid>/volumes/<escaped plugin>/<specName>` */
  podVolume(uid: string, plugin: string, specName: string): string;
  /** `pods/<uid>/volumeDevices` */
  podVolumeDevices(uid: string): string;
  /** `pods/<uid>/volumeDevices/<escaped plugin>`, which contains the links to block devices. */
  podDeviceMap(uid: string, plugin: string): string;
  /** `pods/<uid>/plugins/<escaped plugin>` */
  podPlugin(uid: string, plugin: string): string;
  /** `pods/<uid>/volume-subpaths` */
  podSubPaths(uid: string): string;
  /** `plugins/<plugin>` */
  plugin(name: string): string;
}

/** Throws `InvalidOption` without a `rootDir`, and `InvalidVolumeName` for a part that is not valid as a directory name. */
export function volumePaths(rootDir: string): VolumePaths {
  if (typeof rootDir !== 'string' || rootDir === '') throw invalidOption('rootDir', "the path of the agent's root directory", rootDir);
  const pods = cleanPath(`${rootDir}/pods`);
  const plugins = cleanPath(`${rootDir}/plugins`);
  const pod = (uid: string) => `${pods}/${part(uid)}`;
  return {
    pods,
    pod,
    podVolumes: (uid) => `${pod(uid)}/volumes`,
    podVolume: (uid, plugin, specName) => `${pod(uid)}/volumes/${part(escapePluginName(plugin))}/${part(specName)}`,
    podVolumeDevices: (uid) => `${pod(uid)}/volumeDevices`,
    podDeviceMap: (uid, plugin) => `${pod(uid)}/volumeDevices/${part(escapePluginName(plugin))}`,
    podPlugin: (uid, plugin) => `${pod(uid)}/plugins/${part(escapePluginName(plugin))}`,
    podSubPaths: (uid) => `${pod(uid)}/volume-subpaths`,
    plugin: (name) => [plugins, ...name.split('/').map(part)].join('/'),
  };
}

function part(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
    throw new NodeAgentError(apiErrorCodes.invalidVolumeName, `${JSON.stringify(name)} cannot name a folder`);
  return name;
}
