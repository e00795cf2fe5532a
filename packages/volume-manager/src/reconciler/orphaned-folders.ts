import type { Logger, VolumeNode } from '@nodeagent/api';
import type { VolumeMetrics } from '../metrics.js';
import type { OperationExecutor } from '../operations/executor.js';
import { tearDown } from '../operations/unmount-volume.js';
import type { PluginRegistry } from '../plugin-registry.js';
import type { DesiredState } from '../state/desired-state.js';
import type { VolumeFolder } from './reconstruct.js';

/** Volume folders of a previous run that could not be reconstructed. */
export interface OrphanedFolders {
  set(folders: readonly VolumeFolder[]): void;
  /** Cleans up those of pods that need not stay, each once. */
  clean(signal: AbortSignal): void;
}

export interface OrphanedFoldersOptions {
  desired: Pick<DesiredState, 'volumeExistsWithSpecName'>;
  plugins: PluginRegistry;
  node: VolumeNode;
  executor: Pick<OperationExecutor, 'run'>;
  /** Whether the pod's mounted volumes must stay. */
  mustStay(podUid: string): boolean;
  logger: Logger;
  metrics: VolumeMetrics;
}

export function createOrphanedFolders(options: OrphanedFoldersOptions): OrphanedFolders {
  const { desired, plugins, node, executor, mustStay, logger, metrics } = options;
  let orphans: readonly VolumeFolder[] = [];

  function clean({ podUid, pluginName, specName: name, path }: VolumeFolder, signal: AbortSignal): void {
    if (desired.volumeExistsWithSpecName(podUid, name)) return;
    try {
      const plugin = plugins.byName(pluginName);
      metrics.forceCleaned.inc();
      const spec = { volume: { name }, readOnly: false };
      const run = (limited: AbortSignal) =>
        tearDown({ node }, { plugin, podUid, name }, limited).catch((error) => {
          metrics.forceCleanErrors.inc();
          throw error;
        });
      executor.run({ name: 'volume_unmount', volumeName: `${pluginName}/${podUid}-${name}`, podUid, plugin, spec, run }, signal);
    } catch (error) {
      metrics.forceCleanErrors.inc();
      logger.warn({ podUID: podUid, path, err: error }, 'could not clean up the volume folder of a previous run');
    }
  }

  return {
    set(folders) {
      orphans = folders;
    },
    clean(signal) {
      const ready = orphans.filter(({ podUid }) => !mustStay(podUid));
      orphans = orphans.filter((each) => !ready.includes(each));
      for (const folder of ready) clean(folder, signal);
    },
  };
}
