import type { Clock, EventRecorder, Logger, Metrics, ObjectReference, Pod, Secret } from '@nodeagent/api';
import type { ImageService, PodSandboxConfig } from '@nodeagent/cri-api';
import type { CredentialProvider } from './credentials.js';
import type { ImagePullManager } from './pull-manager.js';
import type { PullRecordStore } from './pull-record.js';
import type { ImageManagerSettings } from './settings.js';

/** A container's or image volume's wish for an image. */
export interface EnsureImageRequest {
  /** What events are about: the container, or the pod for an image volume. */
  object: ObjectReference;
  pod: Pod;
  /** As the pod spec has it. */
  image: string;
  /** `Always`, `IfNotPresent` or `Never`; anything else pulls. */
  pullPolicy: string | undefined;
  /** The pod's pull secrets, see {@link getPullSecrets}. */
  pullSecrets?: readonly Secret[];
  sandboxConfig?: PodSandboxConfig;
  runtimeHandler?: string;
}

/** An image that is present and that the pod may use. */
export interface EnsuredImage {
  /** The runtime's id of it. */
  imageRef: string;
  /** What the kubelet would log; '' after a pull. */
  message: string;
}

/** A pull that has not ended. */
export interface PullInProgress {
  image: string;
  podUid: string;
  /** `waiting` for its turn, or `pulling`. */
  state: 'waiting' | 'pulling';
  /** When it was asked for, milliseconds since 1970. */
  since: number;
  /** When its turn came, milliseconds since 1970; absent while it waits. */
  startedAt?: number;
}

/** Makes images available to pods. */
export interface ImageManager {
  /** Turns what a crash left in the pull records into order; call before the first pull. Idempotent; rejects if the runtime does not answer. */
  start(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the image is present and the pod may use it. Rejects with a NodeAgentError whose code is the waiting reason and whose
   * message is the kubelet's; with what a credential provider or pull manager of your own rejected with; or with the signal's reason.
   * Calls may run at once, also for one image.
   */
  ensureImageExists(request: EnsureImageRequest, signal?: AbortSignal): Promise<EnsuredImage>;
  /** The pulls in progress, oldest first; a snapshot. */
  pulls(): PullInProgress[];
  /** Forgets back-offs that ran out. */
  collectBackOff(): void;
  /** The pull records; image garbage collection prunes them. */
  readonly pullManager: ImagePullManager;
}

export interface ImageManagerOptions {
  /** Asked with a deadline, whatever the runtime does with it. */
  images: Pick<ImageService, 'imageStatus' | 'pullImage' | 'listImages'>;
  clock: Clock;
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
