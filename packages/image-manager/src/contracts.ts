import type { Clock, EnsuredImage, EnsureImageRequest, EventRecorder, ImageManager, Logger, Metrics } from '@nodeagent/api';
import type { ImageService, PodSandboxConfig } from '@nodeagent/cri-api';
import type { CredentialProvider } from './credentials.js';
import type { ImagePullManager } from './pull-manager.js';
import type { PullRecordStore } from './pull-record.js';
import type { ImageManagerSettings } from './settings.js';

/** A request for an image, with the CRI configuration of the sandbox. */
export interface CriImageRequest extends EnsureImageRequest {
  sandboxConfig?: PodSandboxConfig;
}

/** {@link ImageManager} over the CRI. */
export interface CriImageManager extends ImageManager {
  ensureImageExists(request: CriImageRequest, signal?: AbortSignal): Promise<EnsuredImage>;
}

export interface ImageManagerOptions {
  /** The CRI image service. The image manager enforces a deadline for each call. */
  images: Pick<ImageService, 'imageStatus' | 'pullImage' | 'listImages'>;
  /** Default: the system clock. */
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
  /** Stores pull records. Default: in memory. */
  pullRecords?: PullRecordStore;
  /** Replaces the handling of pull records. */
  pullManager?: ImagePullManager;
  /** Providers of the node's credentials, used in this order after the pod's pull secrets. Default none. */
  credentials?: readonly CredentialProvider[];
  settings?: ImageManagerSettings;
}
