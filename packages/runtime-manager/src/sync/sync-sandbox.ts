import type { PodSandboxConfig } from '@nodeagent/cri-api';

/** The image volumes of a pod by name: the image reference, or the error of its pull. */
export type ImageVolumes = ReadonlyMap<string, { imageRef: string } | { error: unknown }>;

/** The pod's existing or new sandbox. */
export interface SyncSandbox {
  id: string;
  config: PodSandboxConfig;
  podIps: string[];
  runtimeHandler: string;
  /** Default: the pod has none. */
  imageVolumes?: ImageVolumes;
}
