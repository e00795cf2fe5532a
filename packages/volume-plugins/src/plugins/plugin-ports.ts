import type { Clock, EventRecorder, Logger, Mounter, Pod, VolumePaths, VolumeSpec } from '@nodeagent/api';
import type { PayloadSources } from '../payload/payload-sources.js';

/** What the plugins share. */
export interface PluginPorts {
  paths: VolumePaths;
  mounter: Mounter;
  sources: PayloadSources;
  clock: Clock;
  logger: Logger;
  recorder: EventRecorder;
  /** Forgets what is kept for a pod's credentials. */
  forgetTokens(podUid: string): void;
}

/** Whether the volume, or the persistent volume, has a source of this kind. */
export const hasSource = (kind: string) => (spec: VolumeSpec) => sourceOf(spec, kind) !== undefined;

/** The source of this kind; of a pod's own volume before a persistent one's. */
export function sourceOf<T>({ volume, persistentVolume }: VolumeSpec, kind: string): T | undefined {
  const ofPod = (volume as Record<string, unknown> | undefined)?.[kind];
  const persistent = (persistentVolume?.spec as Record<string, unknown> | undefined)?.[kind];
  return (ofPod ?? persistent ?? undefined) as T | undefined;
}

export const namespaceOf = (pod: Pod) => pod.metadata?.namespace ?? '';
