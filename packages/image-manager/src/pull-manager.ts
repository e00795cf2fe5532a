import { type Clock, type Counter, type Logger, type Metrics, noMetrics, silentLogger, systemClock } from '@nodeagent/api';
import { formatTime, parseTime } from '@nodeagent/api/helpers';
import type { TrackedCredential } from './credentials.js';
import { createKeyedLock } from './keyed-lock.js';
import { checkPullRecord, type MustPullReason, matchPodCredentials, type PodCredentials } from './must-attempt-pull.js';
import { credentialsOfPull, type ImagePullCredentials, type ImagePulledRecord, mergeRecord, type PullRecordStore } from './pull-record.js';
import type { RequiresVerification } from './verification-policy.js';

/** Records with which credentials images were pulled, and decides which pods may use a present image. */
export interface ImagePullManager {
  /** Records that a pull starts. Call one of the next two after it. Rejects if the intent cannot be stored. */
  recordPullIntent(image: string): Promise<void>;
  /** Records a successful pull with these credentials, or without any. Never rejects. */
  recordImagePulled(image: string, imageRef: string, used: TrackedCredential | undefined): Promise<void>;
  /** Records a failed pull. Never rejects. */
  recordImagePullFailed(image: string): Promise<void>;
  /**
   * Whether a pod must pull a present image to prove that it may use it. `podCredentials` is called only if the record does not decide;
   * its rejection is passed on.
   */
  mustAttemptImagePull(image: string, imageRef: string, podCredentials: () => Promise<PodCredentials>): Promise<boolean>;
  /**
   * After a crash, converts the intents of present images into records, and makes the store log its damaged records. Call once, before
   * the first pull.
   */
  initialize(images: readonly { id: string; repoTags: readonly string[]; repoDigests: readonly string[] }[]): Promise<void>;
  /** Removes the records of images that are not in the set and that were not updated since `until` (milliseconds since 1970). */
  pruneUnknownRecords(imageRefs: ReadonlySet<string>, until: number): Promise<void>;
}

export interface ImagePullManagerOptions {
  store: PullRecordStore;
  requiresVerification: RequiresVerification;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
  logger?: Logger;
  metrics?: Metrics;
}

export function createImagePullManager(options: ImagePullManagerOptions): ImagePullManager {
  return new Manager(options);
}

class Manager implements ImagePullManager {
  readonly #store: PullRecordStore;
  readonly #requiresVerification: RequiresVerification;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #logger: Logger;
  readonly #checks: Counter;
  /** How many pulls of an image are in progress. */
  readonly #inFlight = new Map<string, number>();
  readonly #intentLock = createKeyedLock();
  readonly #recordLock = createKeyedLock();

  constructor(options: ImagePullManagerOptions) {
    this.#store = options.store;
    this.#requiresVerification = options.requiresVerification;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#checks = (options.metrics ?? noMetrics).counter({
      name: 'kubelet_imagemanager_image_mustpull_checks_total',
      help: 'Checks whether an image must be pulled again to prove access to it, by result.',
      labels: ['result'],
    });
  }

  recordPullIntent(image: string): Promise<void> {
    return this.#intentLock.run(image, async () => {
      await this.#store.writeIntent({ image });
      this.#inFlight.set(image, (this.#inFlight.get(image) ?? 0) + 1);
    });
  }

  async recordImagePulled(image: string, imageRef: string, used: TrackedCredential | undefined): Promise<void> {
    try {
      await this.#writeIfChanged(image, imageRef, credentialsOfPull(used));
      await this.#forgetIntent(image);
    } catch (error) {
      this.#logger.error({ image, imageRef, err: error }, 'unable to record an image pull; its intent stays until the next start');
    }
  }

  async recordImagePullFailed(image: string): Promise<void> {
    try {
      await this.#forgetIntent(image);
    } catch (error) {
      this.#logger.error({ image, err: error }, 'unable to remove an image pull intent');
    }
  }

  async mustAttemptImagePull(image: string, imageRef: string, podCredentials: () => Promise<PodCredentials>): Promise<boolean> {
    let result: MustPullReason = 'error';
    try {
      const decision = await this.#decide(image, imageRef, podCredentials);
      result = decision.reason;
      return decision.mustPull;
    } finally {
      this.#checks.inc({ result });
    }
  }

  async initialize(images: readonly { id: string; repoTags: readonly string[]; repoDigests: readonly string[] }[]): Promise<void> {
    const refs = new Map(
      images.flatMap(({ id, repoTags, repoDigests }) => [...repoTags, ...repoDigests].map((name) => [name, id] as const)),
    );
    // Logs damaged records now, before one of them blocks a pod.
    await this.#store.listPulledRecords().catch((error: unknown) => this.#logger.error({ err: error }, 'unable to list the pull records'));
    for (const { image } of await this.#store.listIntents()) {
      const imageRef = refs.get(image);
      if (imageRef !== undefined) await this.#writeIfChanged(image, imageRef, undefined);
      await this.#store.deleteIntent(image);
    }
  }

  async pruneUnknownRecords(imageRefs: ReadonlySet<string>, until: number): Promise<void> {
    for (const { imageRef, lastUpdatedTime } of await this.#store.listPulledRecords()) {
      const updated = parseTime(lastUpdatedTime) ?? 0;
      if (imageRefs.has(imageRef) || updated >= until) continue;
      await this.#recordLock.run(imageRef, () => this.#store.deletePulledRecord(imageRef));
    }
  }

  #writeIfChanged(image: string, imageRef: string, added: ImagePullCredentials | undefined): Promise<void> {
    return this.#recordLock.run(imageRef, async () => {
      const present = await this.#store.getPulledRecord(imageRef).catch((error: unknown) => {
        this.#logger.warn({ image, imageRef, err: error }, 'failed to retrieve an ImagePulledRecord, replacing it');
        return undefined;
      });
      const record = mergeRecord(present, { image, imageRef, now: formatTime(this.#clock.now()) }, added);
      if (record) await this.#store.writePulledRecord(record);
    });
  }

  #forgetIntent(image: string): Promise<void> {
    return this.#intentLock.run(image, async () => {
      const count = this.#inFlight.get(image) ?? 0;
      if (count > 1) return void this.#inFlight.set(image, count - 1);
      await this.#store.deleteIntent(image);
      this.#inFlight.delete(image);
    });
  }

  async #decide(
    image: string,
    imageRef: string,
    podCredentials: () => Promise<PodCredentials>,
  ): Promise<{ mustPull: boolean; reason: MustPullReason }> {
    let record: ImagePulledRecord | undefined;
    let pulledByKubelet = true;
    try {
      record = await this.#store.getPulledRecord(imageRef);
      pulledByKubelet = record !== undefined || this.#inFlight.has(image) || (await this.#store.getIntent(image)) !== undefined;
    } catch (error) {
      this.#logger.error({ image, imageRef, err: error }, 'unable to read the pull record of an image, it must be pulled again');
      return { mustPull: true, reason: 'error' };
    }
    const verdict = checkPullRecord(image, record, this.#requiresVerification(image, pulledByKubelet));
    if ('mustPull' in verdict) return verdict;
    const { matches, remember } = matchPodCredentials(verdict.compareWith, await podCredentials());
    if (remember) {
      await this.#writeIfChanged(image, imageRef, { kubernetesSecrets: [remember] }).catch((error: unknown) =>
        this.#logger.error({ imageRef, err: error }, 'unable to update the pull record of an image'),
      );
    }
    return matches ? { mustPull: false, reason: 'credentialRecordFound' } : { mustPull: true, reason: 'mustAuthenticate' };
  }
}
