import { errorMessage, NodeAgentError, type VolumePlugin, type VolumeSpec } from '@nodeagent/api';
import { specName } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from './errors.js';

/** A volume with its plugin. */
export interface ResolvedVolume {
  readonly spec: VolumeSpec;
  readonly plugin: VolumePlugin;
  /** Whether the volume must be attached to the node before it is mounted. */
  readonly attachable: boolean;
  /** Whether the plugin mounts the device once for all pods of the volume. */
  readonly deviceMountable: boolean;
}

/** Finds the plugin of a volume. */
export interface PluginRegistry {
  readonly all: readonly VolumePlugin[];
  /** Throws `NoVolumePlugin` unless exactly one plugin supports the volume. */
  bySpec(spec: VolumeSpec | undefined): VolumePlugin;
  /** Throws `NoVolumePlugin`. */
  byName(name: string): VolumePlugin;
  /** Like {@link PluginRegistry.bySpec}, with the plugin's answers about the volume. Rejects with `NoVolumePlugin`, also if the plugin fails. */
  resolve(spec: VolumeSpec): Promise<ResolvedVolume>;
}

export function createPluginRegistry(plugins: readonly VolumePlugin[]): PluginRegistry {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));

  const bySpec = (spec: VolumeSpec | undefined): VolumePlugin => {
    if (spec === undefined) throw noPlugin('could not find plugin because volume spec is nil');
    const matching = plugins.filter((plugin) => plugin.canSupport(spec));
    if (matching.length > 1) throw noPlugin(`multiple volume plugins matched: ${matching.map(({ name }) => name).join(',')}`);
    const [plugin] = matching;
    if (plugin === undefined) throw noPlugin('no volume plugin matched');
    return plugin;
  };

  return {
    all: plugins,
    bySpec,
    byName(name) {
      const plugin = byName.get(name);
      if (plugin === undefined) throw noPlugin(`no volume plugin matched name: ${name}`);
      return plugin;
    },
    async resolve(spec) {
      try {
        const plugin = bySpec(spec);
        return {
          spec,
          plugin,
          attachable: (await plugin.attachable?.canAttach(spec)) ?? false,
          deviceMountable: (await plugin.deviceMountable?.canDeviceMount(spec)) ?? false,
        };
      } catch (error) {
        const text = `failed to get Plugin from volumeSpec for volume "${specName(spec)}" err=${errorMessage(error)}`;
        throw new NodeAgentError(volumeManagerErrorCodes.noPlugin, text, { cause: error });
      }
    },
  };
}

/**
 * The unique name of a volume on the node. Attachable and device-mountable volumes have one name for all pods, other volumes have one for
 * each pod.
 */
export function uniqueVolumeName({ spec, plugin, attachable, deviceMountable }: ResolvedVolume, podUid: string): string {
  return attachable || deviceMountable ? `${plugin.name}/${plugin.volumeName(spec)}` : `${plugin.name}/${podUid}-${specName(spec)}`;
}

const noPlugin = (message: string) => new NodeAgentError(volumeManagerErrorCodes.noPlugin, message);
