import type { Logger, Pod, VolumeNode, VolumePlugin, VolumeSpec } from '@nodeagent/api';
import { isBlockVolume, join, unescapePluginName, type VolumePaths } from '@nodeagent/api/helpers';
import type { VolumeMetrics } from '../metrics.js';
import { type PluginRegistry, uniqueVolumeName } from '../plugin-registry.js';
import type { ActualState, PodMountFacts } from '../state/actual-state.js';

/** A volume's folder from a previous run. */
export interface VolumeFolder {
  podUid: string;
  pluginName: string;
  specName: string;
  path: string;
  isBlock: boolean;
}

export interface ReconstructOptions {
  actual: ActualState;
  plugins: PluginRegistry;
  node: Pick<VolumeNode, 'list'>;
  paths: VolumePaths;
  logger: Logger;
  metrics: Pick<VolumeMetrics, 'reconstructed' | 'reconstructionErrors'>;
}

/**
 * Adds the volumes of a previous run to the actual state as uncertain: the reconciler mounts those that pods use again and unmounts the rest.
 * Resolves to the volumes to look up in the Node's status, and to the folders that could not be reconstructed.
 */
export async function reconstructVolumes(options: ReconstructOptions): Promise<{ volumeNames: string[]; failed: VolumeFolder[] }> {
  const { node, paths, logger, metrics } = options;
  const volumeNames = new Set<string>();
  const failed: VolumeFolder[] = [];
  for (const folder of await volumeFolders(node, paths)) {
    metrics.reconstructed.inc();
    try {
      volumeNames.add(await reconstruct(options, folder));
    } catch (error) {
      metrics.reconstructionErrors.inc();
      logger.warn({ podUID: folder.podUid, path: folder.path, err: error }, 'could not construct volume information');
      failed.push(folder);
    }
  }
  for (const volumeName of await reconstructDevices(options)) volumeNames.add(volumeName);
  return { volumeNames: [...volumeNames], failed };
}

/** Reconstructs mounted devices, with or without pods. */
async function reconstructDevices({ actual, plugins, logger }: ReconstructOptions): Promise<string[]> {
  const volumeNames: string[] = [];
  for (const { name, deviceMountable, block } of plugins.all) {
    try {
      for (const spec of (await deviceMountable?.findDevices?.()) ?? []) {
        const resolved = await plugins.resolve(spec);
        const volumeName = uniqueVolumeName(resolved, '');
        const path = isBlockVolume(spec)
          ? (await block?.mapper(spec, podOf('')))?.globalMapPath(spec)
          : deviceMountable?.deviceMounter().deviceMountPath(spec);
        actual.addUncertainVolume(volumeName, resolved, '');
        if (spec.seLinuxLabel !== undefined) actual.initializeSELinuxLabel(volumeName, spec.seLinuxLabel);
        actual.markDeviceAsReconstructed(volumeName, path ?? '');
        volumeNames.push(volumeName);
      }
    } catch (error) {
      logger.warn({ plugin: name, err: error }, 'could not list mounted devices');
    }
  }
  return volumeNames;
}

async function volumeFolders(node: Pick<VolumeNode, 'list'>, paths: VolumePaths): Promise<VolumeFolder[]> {
  const found: VolumeFolder[] = [];
  for (const podUid of await node.list(paths.pods)) {
    for (const isBlock of [false, true]) {
      const root = isBlock ? paths.podVolumeDevices(podUid) : paths.podVolumes(podUid);
      for (const escaped of await node.list(root)) {
        for (const specName of await node.list(join(root, escaped))) {
          found.push({ podUid, pluginName: unescapePluginName(escaped), specName, path: join(root, escaped, specName), isBlock });
        }
      }
    }
  }
  return found;
}

/** The pod as far as its folder identifies it. */
const podOf = (uid: string): Pod => ({ metadata: { uid }, spec: { containers: [] } });

async function reconstruct({ actual, plugins }: ReconstructOptions, folder: VolumeFolder): Promise<string> {
  const { podUid, specName } = folder;
  const plugin = plugins.byName(folder.pluginName);
  const spec = await specOf(plugin, folder);
  const resolved = await plugins.resolve(spec);
  const volumeName = uniqueVolumeName(resolved, podUid);
  const pod = podOf(podUid);
  const mapper = folder.isBlock ? await plugin.block?.mapper(spec, pod) : undefined;
  const mounter = folder.isBlock ? undefined : await plugin.mounter(spec, pod);
  const facts: PodMountFacts = { podUid, volumeName, spec, plugin, ...(mounter && { mounter }), ...(mapper && { mapper }) };
  const deviceMounter = !folder.isBlock && resolved.deviceMountable ? plugin.deviceMountable?.deviceMounter() : undefined;
  const devicePath = mapper?.globalMapPath(spec) ?? deviceMounter?.deviceMountPath(spec);

  actual.addUncertainVolume(volumeName, resolved, '');
  actual.markAsReconstructed(facts);
  if (spec.seLinuxLabel !== undefined) actual.initializeSELinuxLabel(volumeName, spec.seLinuxLabel);
  if (devicePath !== undefined) actual.markDeviceAsReconstructed(volumeName, devicePath);
  return volumeName;

  function specOf(owner: VolumePlugin, { path, isBlock }: VolumeFolder): Promise<VolumeSpec> {
    if (!isBlock) return owner.constructVolumeSpec(specName, path);
    if (owner.block === undefined) throw new Error(`plugin ${owner.name} does not support block volumes`);
    return owner.block.constructBlockVolumeSpec(podUid, specName, path);
  }
}
