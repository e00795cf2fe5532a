import type { Clock, EventRecorder, Logger, Mounter } from '@nodeagent/api';
import type { VolumePaths } from '@nodeagent/api/helpers';
import type { FileSystemProbe, VolumeMeter } from '@nodeagent/mount-utils';
import type { PayloadSources } from '../payload/payload-sources.js';
import type { NodeVolumeKind } from './volume-kind.js';
import type { VolumeShape } from './volume-shapes.js';

/** Ports of all plugins. */
export interface PluginPorts {
  paths: VolumePaths;
  shapes: Record<NodeVolumeKind, VolumeShape>;
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
