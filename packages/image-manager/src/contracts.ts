import type { Clock, EnsuredImage, EnsureImageRequest, EventRecorder, ImageManager, Logger, Metrics } from '@nodeagent/api';
import type { ImageService, PodSandboxConfig } from '@nodeagent/cri-api';
import type { CredentialProvider } from './credentials.js';
import type { ImagePullManager } from './pull-manager.js';
import type { PullRecordStore } from './pull-record.js';
import type { ImageManagerSettings } from './settings.js';

/** A wish for an image with its sandbox in the form of the CRI. */
export interface CriImageRequest extends EnsureImageRequest {
  sandboxConfig?: PodSandboxConfig;
}

/** {@link ImageManager} over the CRI. */
export interface CriImageManager extends ImageManager {
  ensureImageExists(request: CriImageRequest, signal?: AbortSignal): Promise<EnsuredImage>;
}

export interface ImageManagerOptions {
  /** Asked with a deadline, whatever the runtime does with it. */
  images: Pick<ImageService, 'imageStatus' | 'pullImage' | 'listImages'>;
  /** Default: the system clock. */
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
  /** Where pull records are kept. Default in memory. */
  pullRecords?: PullRecordStore;
  /** Replaces the handling of pull records as a whole. */
  pullManager?: ImagePullManager;
  /** The node's own logins, asked in this order after the pod's pull secrets. Default none. */
  credentials?: readonly CredentialProvider[];
  settings?: ImageManagerSettings;
}
