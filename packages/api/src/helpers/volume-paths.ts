import { join } from 'node:path';
import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';

/** A plugin's name as folders have it: `kubernetes.io/csi` is `kubernetes.io~csi`. */
export const escapePluginName = (name: string) => name.replaceAll('/', '~');

/** Undoes {@link escapePluginName}. */
export const unescapePluginName = (name: string) => name.replaceAll('~', '/');

/** Where volumes are below an agent's root, as the kubelet lays them out. */
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
  /** `pods/<uid>/volumeDevices/<escaped plugin>`, where the links to block devices are. */
  podDeviceMap(uid: string, plugin: string): string;
  /** `pods/<uid>/plugins/<escaped plugin>` */
  podPlugin(uid: string, plugin: string): string;
  /** `pods/<uid>/volume-subpaths` */
  podSubPaths(uid: string): string;
  /** `plugins/<plugin>` */
  plugin(name: string): string;
}

/** Throws `InvalidVolumeName` for a part that cannot name a folder. */
export function volumePaths(rootDir: string): VolumePaths {
  const pods = join(rootDir, 'pods');
  const pod = (uid: string) => join(pods, part(uid));
  return {
    pods,
    pod,
    podVolumes: (uid) => join(pod(uid), 'volumes'),
    podVolume: (uid, plugin, specName) => join(pod(uid), 'volumes', part(escapePluginName(plugin)), part(specName)),
    podVolumeDevices: (uid) => join(pod(uid), 'volumeDevices'),
    podDeviceMap: (uid, plugin) => join(pod(uid), 'volumeDevices', part(escapePluginName(plugin))),
    podPlugin: (uid, plugin) => join(pod(uid), 'plugins', part(escapePluginName(plugin))),
    podSubPaths: (uid) => join(pod(uid), 'volume-subpaths'),
    plugin: (name) => join(rootDir, 'plugins', ...name.split('/').map(part)),
  };
}

function part(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
    throw new NodeAgentError(apiErrorCodes.invalidVolumeName, `${JSON.stringify(name)} cannot name a folder`);
  return name;
}
