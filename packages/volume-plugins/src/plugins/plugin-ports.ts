import type { Clock, EventRecorder, Logger, Mounter, Pod, VolumePaths } from '@nodeagent/api';
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

export const namespaceOf = (pod: Pod) => pod.metadata?.namespace ?? '';
