import type { Secret } from '../objects/config.js';
import type { ObjectReference } from '../objects/meta.js';
import type { Pod } from '../objects/pod.js';

/** The image that a container or an image volume needs. */
export interface EnsureImageRequest {
  /** The object of events: the container, or the pod for an image volume. */
  object: ObjectReference;
  pod: Pod;
  /** The image as the pod spec names it. */
  image: string;
  /** `Always`, `IfNotPresent` or `Never`; any other value counts as `Always`. */
  pullPolicy: string | undefined;
  /** The pod's pull secrets, in the order in which they are tried. */
  pullSecrets?: readonly Secret[];
  /** The CRI's `PodSandboxConfig` of the pod, handed to its `PullImage` as it is. */
  sandboxConfig?: object;
  runtimeHandler?: string;
}

/** An image that is present and that the pod may use. */
export interface EnsuredImage {
  /** The image's ID in the runtime. */
  imageRef: string;
  /** The kubelet's log message for an image that was present; '' after a pull. */
  message: string;
  /** The user that the image sets, with neither field if it sets none. Absent if it is not known: the runtime manager then reads it. */
  user?: { uid?: bigint; username?: string };
}

/** A pull in progress. */
export interface PullInProgress {
  image: string;
  podUid: string;
  /** `waiting` for a free pull slot, or `pulling`. */
  state: 'waiting' | 'pulling';
  /** When the pull was requested, in milliseconds since 1970. */
  since: number;
  /** When the pull started, in milliseconds since 1970; absent while it is `waiting`. */
  startedAt?: number;
}

/** Makes images available to pods. */
export interface ImageManager {
  /** Recovers pull records after a crash; call before the first pull. Idempotent; rejects if the runtime does not answer. */
  start(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the image is present and the pod may use it. Rejects with a NodeAgentError whose code is the waiting reason
   * (`ErrImagePull`, `ImagePullBackOff`, `ErrImageNeverPull`, `InvalidImageName`, `ImageInspectError`, ...) and whose message is the
   * kubelet's; with the error of a custom credential provider or pull manager; or with the signal's reason. Calls may run concurrently,
   * also for the same image. A failed pull makes later calls of this pod for this image fail with `ImagePullBackOff`, without a pull, until
   * its back-off has run out.
   */
  ensureImageExists(request: EnsureImageRequest, signal?: AbortSignal): Promise<EnsuredImage>;
  /** The pulls in progress, oldest first. A copy. */
  pulls(): PullInProgress[];
  /** Removes expired back-off entries. */
  collectBackOff(): void;
  /**
   * Removes the pull records of images that are not in the set and were not pulled since `until` (milliseconds since 1970). Frees disk
   * space; correctness does not depend on it.
   */
  pruneUnknownRecords(imageRefs: ReadonlySet<string>, until: number): Promise<void>;
}
