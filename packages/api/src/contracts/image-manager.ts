import type { Secret } from '../objects/config.js';
import type { ObjectReference } from '../objects/meta.js';
import type { Pod } from '../objects/pod.js';

/** A container's or image volume's wish for an image. */
export interface EnsureImageRequest {
  /** What events are about: the container, or the pod for an image volume. */
  object: ObjectReference;
  pod: Pod;
  /** As the pod spec has it. */
  image: string;
  /** `Always`, `IfNotPresent` or `Never`; anything else pulls. */
  pullPolicy: string | undefined;
  /** The pod's pull secrets, in the order in which they are tried. */
  pullSecrets?: readonly Secret[];
  /** The CRI's `PodSandboxConfig` of the pod, handed to its `PullImage` as it is. */
  sandboxConfig?: object;
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
  /** Recovers pull records after a crash; call before the first pull. Idempotent; rejects if the runtime does not answer. */
  start(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the image is present and the pod may use it. Rejects with a NodeAgentError whose code is the waiting reason
   * (`ErrImagePull`, `ImagePullBackOff`, `ErrImageNeverPull`, `InvalidImageName`, `ImageInspectError`, ...) and whose message is the
   * kubelet's; with what a credential provider or pull manager of your own rejected with; or with the signal's reason.
   * Calls may run at once, also for one image. A failed pull makes later calls of this pod for this image fail with `ImagePullBackOff`,
   * without a pull, until its back-off has run out.
   */
  ensureImageExists(request: EnsureImageRequest, signal?: AbortSignal): Promise<EnsuredImage>;
  /** The pulls in progress, oldest first; a snapshot of the caller's own. */
  pulls(): PullInProgress[];
  /** Forgets back-offs that ran out, and no others. */
  collectBackOff(): void;
  /**
   * Forgets what is known of pulls of images that are not in the set and were not pulled since `until` (milliseconds since 1970). Never
   * needed for correctness.
   */
  pruneUnknownRecords(imageRefs: ReadonlySet<string>, until: number): Promise<void>;
}
