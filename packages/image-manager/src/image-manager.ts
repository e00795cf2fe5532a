import {
  applyDefaultImageTag,
  checkOptionNames,
  createBackoff,
  type EnsuredImage,
  errorMessage,
  formatDuration,
  NodeAgentError,
  noEvents,
  noMetrics,
  type OptionNames,
  parseImageName,
  podKey,
  podUid,
  quoteText,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import type { Image, ImageSpec } from '@nodeagent/cri-api';
import { boundedImageCalls } from './bounded-image-calls.js';
import type { CriImageManager, CriImageRequest, ImageManagerOptions } from './contracts.js';
import type { TrackedCredential } from './credentials.js';
import { createSecretKeyring } from './docker-config.js';
import { imageErrorCodes } from './errors.js';
import { imageSizeBucket } from './image-size-bucket.js';
import { createMemoryPullRecords } from './memory-pull-records.js';
import type { PodCredentials } from './must-attempt-pull.js';
import { describePullFailure, type PulledImage } from './pull-image.js';
import { createImagePullManager } from './pull-manager.js';
import { createPuller } from './puller.js';
import { resolveSettings } from './settings.js';
import { createVerificationPolicy } from './verification-policy.js';

const optionNames: OptionNames<ImageManagerOptions> = {
  images: true,
  clock: true,
  recorder: true,
  logger: true,
  metrics: true,
  pullRecords: true,
  pullManager: true,
  credentials: true,
  settings: {
    serializeImagePulls: true,
    maxParallelImagePulls: true,
    registryPullQPS: true,
    registryBurst: true,
    imagePullCredentialsVerificationPolicy: true,
    preloadedImagesVerificationAllowlist: true,
    initialBackOffMs: true,
    maxBackOffMs: true,
    runtimeRequestTimeoutMs: true,
    pullTimeoutMs: true,
  },
};

/** Creates an image manager. Does no I/O. Throws `InvalidOption` naming the field. */
export function createImageManager(options: ImageManagerOptions): CriImageManager {
  checkOptionNames('createImageManager', options, optionNames);
  const { clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics, credentials = [] } = options;
  const settings = resolveSettings(options.settings ?? {});
  const images = boundedImageCalls(options.images, clock, settings);
  const pullManager =
    options.pullManager ??
    createImagePullManager({
      store: options.pullRecords ?? createMemoryPullRecords(),
      requiresVerification: createVerificationPolicy(settings.policy, settings.allowlist),
      clock,
      logger,
      metrics,
    });
  const backOff = createBackoff({ initialMs: settings.initialBackOffMs, maxMs: settings.maxBackOffMs });
  const lastFailures = new Map<string, string>();
  const puller = createPuller({ images, clock, ...settings });
  const requests = metrics.counter({
    name: 'kubelet_image_manager_ensure_image_requests_total',
    help: 'Requests for an image, by pull policy, presence and whether it was pulled.',
    labels: ['pull_policy', 'present_locally', 'pull_required'],
  });
  const pullDuration = metrics.histogram({
    name: 'kubelet_image_pull_duration_seconds',
    help: 'Duration of image pulls that succeeded, by image size.',
    labels: ['image_size_in_bytes'],
    buckets: [1, 5, 10, 20, 30, 60, 180, 300, 600, 900, 1200, 1800, 3600],
  });
  let started: Promise<void> | undefined;

  function fail({ object }: CriImageRequest, reason: string, code: string, message: string, cause?: unknown): NodeAgentError {
    recorder.event(object, 'Warning', reason, message);
    return new NodeAgentError(code, message, { retryable: code !== imageErrorCodes.invalidImageName, cause });
  }

  const neverPull = (request: CriImageRequest) => {
    const message = `Container image ${quoteText(request.image)} is not present with pull policy of Never`;
    return fail(request, imageErrorCodes.errImageNeverPull, imageErrorCodes.errImageNeverPull, message);
  };

  function taggedImage(request: CriImageRequest): string {
    try {
      return applyDefaultImageTag(request.image);
    } catch (cause) {
      const message = `Failed to apply default image tag ${quoteText(request.image)}: ${errorMessage(cause)}`;
      throw fail(request, 'InspectFailed', imageErrorCodes.invalidImageName, message, cause);
    }
  }

  /** The runtime's image; undefined if it is absent. */
  async function inspect(request: CriImageRequest, spec: ImageSpec, signal?: AbortSignal): Promise<Image | undefined> {
    try {
      const { image } = await images.imageStatus({ image: spec }, { signal });
      return image?.id ? image : undefined;
    } catch (cause) {
      signal?.throwIfAborted();
      throw fail(request, 'InspectFailed', imageErrorCodes.imageInspectError, `Failed to inspect image "": ${errorMessage(cause)}`, cause);
    }
  }

  /** The credentials of the pod's pull secrets, then of the node; looked up once per request. */
  function credentialLookup(request: CriImageRequest, signal?: AbortSignal): () => Promise<TrackedCredential[]> {
    let found: Promise<TrackedCredential[]> | undefined;
    const lookUp = async () => {
      const { repository } = parseImageName(request.image);
      const providers = [createSecretKeyring(request.pullSecrets ?? []), ...credentials];
      return (await Promise.all(providers.map((provider) => provider.lookup(repository, request.pod, signal)))).flat();
    };
    return () => {
      found ??= lookUp();
      return found;
    };
  }

  async function pull(request: CriImageRequest, spec: ImageSpec, logins: TrackedCredential[], signal?: AbortSignal): Promise<PulledImage> {
    const { object, image } = request;
    const name = quoteText(image);
    const key = `${podUid(request.pod)}_${image}`;
    const expiry = backOff.endsAt(key, clock.now());
    if (expiry !== undefined) {
      const message = `Back-off pulling image ${name}`;
      recorder.event(object, 'Normal', 'BackOff', message);
      const last = lastFailures.get(key);
      throw new NodeAgentError(imageErrorCodes.imagePullBackOff, last === undefined ? message : `${message}: ${last}`, {
        retryable: true,
        details: { expiry },
      });
    }
    lastFailures.delete(key);
    recorder.event(object, 'Normal', 'Pulling', `Pulling image ${name}`);
    const begin = clock.monotonic();
    try {
      const { duration, size, ...pulled } = await puller.pull(request, spec, logins, signal);
      const waited = formatDuration(clock.monotonic() - begin);
      const summary = `Successfully pulled image ${name} in ${formatDuration(duration)} (${waited} including waiting). Image size: ${size} bytes.`;
      recorder.event(object, 'Normal', 'Pulled', summary);
      pullDuration.observe(duration / 1000, { image_size_in_bytes: imageSizeBucket(size) });
      collectBackOff();
      return pulled;
    } catch (cause) {
      signal?.throwIfAborted();
      const text = errorMessage(cause);
      recorder.event(object, 'Warning', 'Failed', `Failed to pull image ${name}: ${text}`);
      logger.warn({ image, pod: podKey(request.pod), podUID: podUid(request.pod), err: cause }, 'image pull failed');
      const now = clock.now();
      backOff.next(key, now, now);
      const { code, message } = describePullFailure(image, text);
      lastFailures.set(key, `${code}: ${message}`);
      throw new NodeAgentError(code, message, { retryable: true, cause });
    }
  }

  /** Pulls between writing the intent and the record. */
  async function recordedPull(request: CriImageRequest, spec: ImageSpec, logins: TrackedCredential[], signal?: AbortSignal) {
    const { image } = request;
    try {
      await pullManager.recordPullIntent(image);
    } catch (cause) {
      const message = `Failed to record image pull intent for container image ${quoteText(image)}: ${errorMessage(cause)}`;
      throw new NodeAgentError(imageErrorCodes.errImagePull, message, { retryable: true, cause });
    }
    let pulled: PulledImage | undefined;
    try {
      pulled = await pull(request, spec, logins, signal);
      return pulled.imageRef;
    } finally {
      await (pulled ? pullManager.recordImagePulled(image, pulled.imageRef, pulled.used) : pullManager.recordImagePullFailed(image));
    }
  }

  async function ensure(request: CriImageRequest, labels: RequestLabels, signal?: AbortSignal): Promise<EnsuredImage> {
    const { image, pod, pullPolicy } = request;
    const spec: ImageSpec = {
      image: taggedImage(request),
      annotations: pod.metadata?.annotations ?? {},
      ...(request.runtimeHandler && { runtimeHandler: request.runtimeHandler }),
    };
    const inspected = pullPolicy === 'IfNotPresent' || pullPolicy === 'Never';
    const present = inspected ? await inspect(request, spec, signal) : undefined;
    if (inspected) labels.present_locally = String(present !== undefined);
    if (present === undefined && pullPolicy === 'Never') throw neverPull(request);

    const lookup = credentialLookup(request, signal);
    if (present !== undefined && !(await pullManager.mustAttemptImagePull(image, present.id, async () => podCredentials(await lookup())))) {
      labels.pull_required = 'false';
      const message = `Container image ${quoteText(image)} already present on machine and can be accessed by the pod`;
      recorder.event(request.object, 'Normal', 'Pulled', message);
      return { imageRef: present.id, message, user: imageUser(present) };
    }
    labels.pull_required = 'true';
    if (pullPolicy === 'Never') throw neverPull(request);
    return { imageRef: await recordedPull(request, spec, await lookup(), signal), message: '' };
  }

  function collectBackOff(): void {
    backOff.collect(clock.now());
    for (const key of lastFailures.keys()) if (backOff.get(key) === 0) lastFailures.delete(key);
  }

  return {
    pruneUnknownRecords: pullManager.pruneUnknownRecords,
    collectBackOff,
    pulls: puller.pulls,
    start(signal) {
      started ??= images
        .listImages({}, { signal })
        .then(({ images: present }) => pullManager.initialize(present))
        .catch((error: unknown) => {
          started = undefined;
          throw error;
        });
      return started;
    },
    async ensureImageExists(request, signal) {
      signal?.throwIfAborted();
      const labels: RequestLabels = {
        pull_policy: (request.pullPolicy ?? '').toLowerCase(),
        present_locally: 'unknown',
        pull_required: 'unknown',
      };
      try {
        return await ensure(request, labels, signal);
      } finally {
        requests.inc(labels);
      }
    },
  };
}

type RequestLabels = Record<'pull_policy' | 'present_locally' | 'pull_required', string>;

/** The credentials from secrets and service accounts: those that pull records contain. */
function podCredentials(logins: readonly TrackedCredential[]): PodCredentials {
  const secrets = logins.flatMap(({ source, hash }) => (source?.secret ? [{ ...source.secret, credentialHash: hash }] : []));
  const serviceAccount = logins.find(({ source }) => source?.serviceAccount)?.source?.serviceAccount;
  return { secrets, ...(serviceAccount && { serviceAccount }) };
}

function imageUser({ uid, username }: Image): NonNullable<EnsuredImage['user']> {
  return { ...(uid && { uid: uid.value }), ...(username && { username }) };
}
