import {
  type Clock,
  type EventRecorder,
  errorMessage,
  type Histogram,
  type Logger,
  type Metrics,
  NodeAgentError,
  type PullInProgress,
} from '@nodeagent/api';
import { type Backoff, createBackoff, formatDuration, podKey, podUid, quoteText } from '@nodeagent/api/helpers';
import type { ImageSpec } from '@nodeagent/cri-api';
import type { CriImageRequest, ImageManagerOptions } from './contracts.js';
import type { TrackedCredential } from './credentials.js';
import { imageErrorCodes } from './errors.js';
import { imageSizeBucket } from './image-size-bucket.js';
import { describePullFailure, type PulledImage } from './pull-image.js';
import type { ImagePullManager } from './pull-manager.js';
import { createPuller, type Puller } from './puller.js';
import type { resolveSettings } from './settings.js';

/** Pulls images for pods, with an event for each step, a pull record, and a back-off after a failure. */
export interface ImagePulls {
  /** Pulls between writing the intent and the record; resolves to the reference of the image. */
  pull(request: CriImageRequest, spec: ImageSpec, logins: readonly TrackedCredential[], signal?: AbortSignal): Promise<string>;
  inProgress(): PullInProgress[];
  /** Forgets expired back-offs. */
  collectBackOff(): void;
}

interface ImagePullsPorts {
  images: ImageManagerOptions['images'];
  pullManager: ImagePullManager;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

export function createImagePulls(ports: ImagePullsPorts, settings: ReturnType<typeof resolveSettings>): ImagePulls {
  return new Pulls(ports, settings);
}

class Pulls implements ImagePulls {
  readonly #ports: ImagePullsPorts;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #puller: Puller;
  readonly #backOff: Backoff;
  /** By the pod's UID and the image. */
  readonly #lastFailures = new Map<string, string>();
  readonly #pullDuration: Histogram;

  constructor(ports: ImagePullsPorts, settings: ReturnType<typeof resolveSettings>) {
    this.#ports = ports;
    this.#clock = ports.clock;
    this.#recorder = ports.recorder;
    this.#puller = createPuller({ images: ports.images, clock: ports.clock, ...settings });
    this.#backOff = createBackoff({ initialMs: settings.initialBackOffMs, maxMs: settings.maxBackOffMs });
    this.#pullDuration = ports.metrics.histogram({
      name: 'kubelet_image_pull_duration_seconds',
      help: 'Duration of image pulls that succeeded, by image size.',
      labels: ['image_size_in_bytes'],
      buckets: [1, 5, 10, 20, 30, 60, 180, 300, 600, 900, 1200, 1800, 3600],
    });
  }

  async pull(request: CriImageRequest, spec: ImageSpec, logins: readonly TrackedCredential[], signal?: AbortSignal): Promise<string> {
    const { image } = request;
    const { pullManager } = this.#ports;
    try {
      await pullManager.recordPullIntent(image);
    } catch (cause) {
      const message = `Failed to record image pull intent for container image ${quoteText(image)}: ${errorMessage(cause)}`;
      throw new NodeAgentError(imageErrorCodes.errImagePull, message, { retryable: true, cause });
    }
    let pulled: PulledImage | undefined;
    try {
      pulled = await this.#pullNow(request, spec, logins, signal);
      return pulled.imageRef;
    } finally {
      await (pulled ? pullManager.recordImagePulled(image, pulled.imageRef, pulled.used) : pullManager.recordImagePullFailed(image));
    }
  }

  inProgress(): PullInProgress[] {
    return this.#puller.pulls();
  }

  collectBackOff(): void {
    this.#backOff.collect(this.#clock.now());
    for (const key of this.#lastFailures.keys()) if (this.#backOff.get(key) === 0) this.#lastFailures.delete(key);
  }

  async #pullNow(
    request: CriImageRequest,
    spec: ImageSpec,
    logins: readonly TrackedCredential[],
    signal?: AbortSignal,
  ): Promise<PulledImage> {
    const { object, image } = request;
    const name = quoteText(image);
    const key = `${podUid(request.pod)}_${image}`;
    this.#throwDuringBackOff(key, request);
    this.#lastFailures.delete(key);
    this.#recorder.event(object, 'Normal', 'Pulling', `Pulling image ${name}`);
    const begin = this.#clock.monotonic();
    try {
      const { duration, size, ...pulled } = await this.#puller.pull(request, spec, logins, signal);
      const waited = formatDuration(this.#clock.monotonic() - begin);
      const summary = `Successfully pulled image ${name} in ${formatDuration(duration)} (${waited} including waiting). Image size: ${size} bytes.`;
      this.#recorder.event(object, 'Normal', 'Pulled', summary);
      this.#pullDuration.observe(duration / 1000, { image_size_in_bytes: imageSizeBucket(size) });
      this.collectBackOff();
      return pulled;
    } catch (cause) {
      signal?.throwIfAborted();
      throw this.#failed(key, request, cause);
    }
  }

  #throwDuringBackOff(key: string, { object, image }: CriImageRequest): void {
    const expiry = this.#backOff.endsAt(key, this.#clock.now());
    if (expiry === undefined) return;
    const message = `Back-off pulling image ${quoteText(image)}`;
    this.#recorder.event(object, 'Normal', 'BackOff', message);
    const last = this.#lastFailures.get(key);
    throw new NodeAgentError(imageErrorCodes.imagePullBackOff, last === undefined ? message : `${message}: ${last}`, {
      retryable: true,
      details: { expiry },
    });
  }

  /** Starts or extends the back-off; returns the error of the pull. */
  #failed(key: string, { object, image, pod }: CriImageRequest, cause: unknown): NodeAgentError {
    const text = errorMessage(cause);
    this.#recorder.event(object, 'Warning', 'Failed', `Failed to pull image ${quoteText(image)}: ${text}`);
    this.#ports.logger.warn({ image, pod: podKey(pod), podUID: podUid(pod), err: cause }, 'image pull failed');
    const now = this.#clock.now();
    this.#backOff.next(key, now, now);
    const { code, message } = describePullFailure(image, text);
    this.#lastFailures.set(key, `${code}: ${message}`);
    return new NodeAgentError(code, message, { retryable: true, cause });
  }
}
