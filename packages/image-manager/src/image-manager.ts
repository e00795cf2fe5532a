import {
  type Counter,
  type EnsuredImage,
  type EventRecorder,
  errorMessage,
  NodeAgentError,
  noEvents,
  noMetrics,
  type PullInProgress,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { applyDefaultImageTag, parseImageName, quoteText } from '@nodeagent/api/helpers';
import type { Image, ImageSpec } from '@nodeagent/cri-api';
import { boundedImageCalls } from './bounded-image-calls.js';
import type { CriImageManager, CriImageRequest, ImageManagerOptions } from './contracts.js';
import type { CredentialProvider, TrackedCredential } from './credentials.js';
import { createSecretKeyring } from './docker-config.js';
import { imageErrorCodes } from './errors.js';
import { createImagePulls, type ImagePulls } from './image-pulls.js';
import { createMemoryPullRecords } from './memory-pull-records.js';
import type { PodCredentials } from './must-attempt-pull.js';
import { createImagePullManager, type ImagePullManager } from './pull-manager.js';
import { resolveSettings } from './settings.js';
import { createVerificationPolicy } from './verification-policy.js';

/** Creates an image manager. Does no I/O. Throws `InvalidOption` naming the field. */
export function createImageManager(options: ImageManagerOptions): CriImageManager {
  return new Manager(options);
}

type RequestLabels = Record<'pull_policy' | 'present_locally' | 'pull_required', string>;

class Manager implements CriImageManager {
  readonly #images: ImageManagerOptions['images'];
  readonly #recorder: EventRecorder;
  readonly #credentials: readonly CredentialProvider[];
  readonly #pullManager: ImagePullManager;
  readonly #pulls: ImagePulls;
  readonly #requests: Counter;
  #started: Promise<void> | undefined;

  constructor(options: ImageManagerOptions) {
    const { clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics, credentials = [] } = options;
    const settings = resolveSettings(options.settings ?? {});
    this.#images = boundedImageCalls(options.images, clock, settings);
    this.#recorder = recorder;
    this.#credentials = credentials;
    this.#pullManager =
      options.pullManager ??
      createImagePullManager({
        store: options.pullRecords ?? createMemoryPullRecords(),
        requiresVerification: createVerificationPolicy(settings.policy, settings.allowlist),
        clock,
        logger,
        metrics,
      });
    this.#requests = metrics.counter({
      name: 'kubelet_image_manager_ensure_image_requests_total',
      help: 'Requests for an image, by pull policy, presence and whether it was pulled.',
      labels: ['pull_policy', 'present_locally', 'pull_required'],
    });
    const ports = { images: this.#images, pullManager: this.#pullManager, clock, recorder, logger, metrics };
    this.#pulls = createImagePulls(ports, settings);
  }

  start(signal?: AbortSignal): Promise<void> {
    this.#started ??= this.#images
      .listImages({}, { signal })
      .then(({ images }) => this.#pullManager.initialize(images))
      .catch((error: unknown) => {
        this.#started = undefined;
        throw error;
      });
    return this.#started;
  }

  async ensureImageExists(request: CriImageRequest, signal?: AbortSignal): Promise<EnsuredImage> {
    signal?.throwIfAborted();
    const labels: RequestLabels = {
      pull_policy: (request.pullPolicy ?? '').toLowerCase(),
      present_locally: 'unknown',
      pull_required: 'unknown',
    };
    try {
      return await this.#ensure(request, labels, signal);
    } finally {
      this.#requests.inc(labels);
    }
  }

  pruneUnknownRecords(imageRefs: ReadonlySet<string>, until: number): Promise<void> {
    return this.#pullManager.pruneUnknownRecords(imageRefs, until);
  }

  pulls(): PullInProgress[] {
    return this.#pulls.inProgress();
  }

  collectBackOff(): void {
    this.#pulls.collectBackOff();
  }

  async #ensure(request: CriImageRequest, labels: RequestLabels, signal?: AbortSignal): Promise<EnsuredImage> {
    const { image, pod, pullPolicy } = request;
    const spec: ImageSpec = {
      image: this.#taggedImage(request),
      annotations: pod.metadata?.annotations ?? {},
      ...(request.runtimeHandler && { runtimeHandler: request.runtimeHandler }),
    };
    const inspected = pullPolicy === 'IfNotPresent' || pullPolicy === 'Never';
    const present = inspected ? await this.#inspect(request, spec, signal) : undefined;
    if (inspected) labels.present_locally = String(present !== undefined);
    if (present === undefined && pullPolicy === 'Never') throw this.#neverPull(request);

    const lookup = this.#credentialLookup(request, signal);
    if (
      present !== undefined &&
      !(await this.#pullManager.mustAttemptImagePull(image, present.id, async () => podCredentials(await lookup())))
    ) {
      labels.pull_required = 'false';
      const message = `Container image ${quoteText(image)} already present on machine and can be accessed by the pod`;
      this.#recorder.event(request.object, 'Normal', 'Pulled', message);
      return { imageRef: present.id, message, user: imageUser(present) };
    }
    labels.pull_required = 'true';
    if (pullPolicy === 'Never') throw this.#neverPull(request);
    return { imageRef: await this.#pulls.pull(request, spec, await lookup(), signal), message: '' };
  }

  /** The runtime's image; undefined if it is absent. */
  async #inspect(request: CriImageRequest, spec: ImageSpec, signal?: AbortSignal): Promise<Image | undefined> {
    try {
      const { image } = await this.#images.imageStatus({ image: spec }, { signal });
      return image?.id ? image : undefined;
    } catch (cause) {
      signal?.throwIfAborted();
      throw this.#fail(
        request,
        'InspectFailed',
        imageErrorCodes.imageInspectError,
        `Failed to inspect image "": ${errorMessage(cause)}`,
        cause,
      );
    }
  }

  /** The credentials of the pod's pull secrets, then of the node; looked up once per request. */
  #credentialLookup(request: CriImageRequest, signal?: AbortSignal): () => Promise<TrackedCredential[]> {
    let found: Promise<TrackedCredential[]> | undefined;
    const lookUp = async () => {
      const { repository } = parseImageName(request.image);
      const providers = [createSecretKeyring(request.pullSecrets ?? []), ...this.#credentials];
      return (await Promise.all(providers.map((provider) => provider.lookup(repository, request.pod, signal)))).flat();
    };
    return () => {
      found ??= lookUp();
      return found;
    };
  }

  #taggedImage(request: CriImageRequest): string {
    try {
      return applyDefaultImageTag(request.image);
    } catch (cause) {
      const message = `Failed to apply default image tag ${quoteText(request.image)}: ${errorMessage(cause)}`;
      throw this.#fail(request, 'InspectFailed', imageErrorCodes.invalidImageName, message, cause);
    }
  }

  #neverPull(request: CriImageRequest): NodeAgentError {
    const message = `Container image ${quoteText(request.image)} is not present with pull policy of Never`;
    return this.#fail(request, imageErrorCodes.errImageNeverPull, imageErrorCodes.errImageNeverPull, message);
  }

  #fail({ object }: CriImageRequest, reason: string, code: string, message: string, cause?: unknown): NodeAgentError {
    this.#recorder.event(object, 'Warning', reason, message);
    return new NodeAgentError(code, message, { retryable: code !== imageErrorCodes.invalidImageName, cause });
  }
}

/** The credentials from secrets and service accounts: those that pull records contain. */
function podCredentials(logins: readonly TrackedCredential[]): PodCredentials {
  const secrets = logins.flatMap(({ source, hash }) => (source?.secret ? [{ ...source.secret, credentialHash: hash }] : []));
  const serviceAccount = logins.find(({ source }) => source?.serviceAccount)?.source?.serviceAccount;
  return { secrets, ...(serviceAccount && { serviceAccount }) };
}

function imageUser({ uid, username }: Image): NonNullable<EnsuredImage['user']> {
  return { ...(uid && { uid: uid.value }), ...(username && { username }) };
}
