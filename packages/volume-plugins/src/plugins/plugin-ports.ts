import type { Clock, EventRecorder, Logger, Mounter, Pod } from '@nodeagent/api';
import type { VolumePaths } from '@nodeagent/api/helpers';
import type { FileSystemProbe, VolumeMeter } from '@nodeagent/mount-utils';
import type { PayloadSources } from '../payload/payload-sources.js';

/** Ports of all plugins. */
export interface PluginPorts {
  paths: VolumePaths;
  mounter: Mounter;
  fileSystems: FileSystemProbe;
  meter: VolumeMeter;
  sources: PayloadSources;
  clock: Clock;
  logger: Logger;
  recorder: EventRecorder;
  /** Deletes the cached tokens of a pod. */
  deleteTokens(podUid: string): void;
}

export const namespaceOf = (pod: Pod) => pod.metadata?.namespace ?? '';
