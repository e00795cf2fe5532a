import type { PodSandboxConfig } from '@nodeagent/cri-api';

/** The image volumes of a pod by name: the reference to mount, or why there is none. */
export type ImageVolumes = ReadonlyMap<string, { imageRef: string } | { error: unknown }>;

/** The sandbox that a sync has found or made. */
export interface SyncSandbox {
  id: string;
  config: PodSandboxConfig;
  podIps: string[];
  runtimeHandler: string;
  /** Default: the pod has none. */
  imageVolumes?: ImageVolumes;
}
