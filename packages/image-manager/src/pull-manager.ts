import {
  type Clock,
  checkOptionNames,
  formatTime,
  type Logger,
  type Metrics,
  noMetrics,
  type OptionNames,
  parseTime,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
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

const optionNames: OptionNames<ImagePullManagerOptions> = {
  store: true,
  requiresVerification: true,
  clock: true,
  logger: true,
  metrics: true,
};

export function createImagePullManager(options: ImagePullManagerOptions): ImagePullManager {
  checkOptionNames('createImagePullManager', options, optionNames);
  const { store, requiresVerification, clock = systemClock, logger = silentLogger, metrics = noMetrics } = options;
  const inFlight = new Map<string, number>();
  const intentLock = createKeyedLock();
  const recordLock = createKeyedLock();
  const checks = metrics.counter({
    name: 'kubelet_imagemanager_image_mustpull_checks_total',
    help: 'Checks whether an image must be pulled again to prove access to it, by result.',
    labels: ['result'],
  });

  const writeIfChanged = (image: string, imageRef: string, added: ImagePullCredentials | undefined) =>
    recordLock.run(imageRef, async () => {
      const present = await store.getPulledRecord(imageRef).catch((error: unknown) => {
        logger.warn({ image, imageRef, err: error }, 'failed to retrieve an ImagePulledRecord, replacing it');
        return undefined;
      });
      const record = mergeRecord(present, { image, imageRef, now: formatTime(clock.now()) }, added);
      if (record) await store.writePulledRecord(record);
    });

  const forgetIntent = (image: string) =>
    intentLock.run(image, async () => {
      const count = inFlight.get(image) ?? 0;
      if (count > 1) return void inFlight.set(image, count - 1);
      await store.deleteIntent(image);
      inFlight.delete(image);
    });

  const decide = async (
    image: string,
    imageRef: string,
    podCredentials: () => Promise<PodCredentials>,
  ): Promise<{ mustPull: boolean; reason: MustPullReason }> => {
    let record: ImagePulledRecord | undefined;
    let pulledByKubelet = true;
    try {
      record = await store.getPulledRecord(imageRef);
      pulledByKubelet = record !== undefined || inFlight.has(image) || (await store.getIntent(image)) !== undefined;
    } catch (error) {
      logger.error({ image, imageRef, err: error }, 'unable to read the pull record of an image, it must be pulled again');
      return { mustPull: true, reason: 'error' };
    }
    const verdict = checkPullRecord(image, record, requiresVerification(image, pulledByKubelet));
    if ('mustPull' in verdict) return verdict;
    const { matches, remember } = matchPodCredentials(verdict.compareWith, await podCredentials());
    if (remember) {
      await writeIfChanged(image, imageRef, { kubernetesSecrets: [remember] }).catch((error: unknown) =>
        logger.error({ imageRef, err: error }, 'unable to update the pull record of an image'),
      );
    }
    return matches ? { mustPull: false, reason: 'credentialRecordFound' } : { mustPull: true, reason: 'mustAuthenticate' };
  };

  return {
    recordPullIntent: (image) =>
      intentLock.run(image, async () => {
        await store.writeIntent({ image });
        inFlight.set(image, (inFlight.get(image) ?? 0) + 1);
      }),

    async recordImagePulled(image, imageRef, used) {
      try {
        await writeIfChanged(image, imageRef, credentialsOfPull(used));
        await forgetIntent(image);
      } catch (error) {
        logger.error({ image, imageRef, err: error }, 'unable to record an image pull; its intent stays until the next start');
      }
    },

    async recordImagePullFailed(image) {
      try {
        await forgetIntent(image);
      } catch (error) {
        logger.error({ image, err: error }, 'unable to remove an image pull intent');
      }
    },

    async mustAttemptImagePull(image, imageRef, podCredentials) {
      let result: MustPullReason = 'error';
      try {
        const decision = await decide(image, imageRef, podCredentials);
        result = decision.reason;
        return decision.mustPull;
      } finally {
        checks.inc({ result });
      }
    },

    async initialize(images) {
      const refs = new Map(
        images.flatMap(({ id, repoTags, repoDigests }) => [...repoTags, ...repoDigests].map((name) => [name, id] as const)),
      );
      // Logs damaged records now, before one of them blocks a pod.
      await store.listPulledRecords().catch((error: unknown) => logger.error({ err: error }, 'unable to list the pull records'));
      for (const { image } of await store.listIntents()) {
        const imageRef = refs.get(image);
        if (imageRef !== undefined) await writeIfChanged(image, imageRef, undefined);
        await store.deleteIntent(image);
      }
    },

    async pruneUnknownRecords(imageRefs, until) {
      for (const { imageRef, lastUpdatedTime } of await store.listPulledRecords()) {
        const updated = parseTime(lastUpdatedTime) ?? 0;
        if (!imageRefs.has(imageRef) && updated < until) await recordLock.run(imageRef, () => store.deletePulledRecord(imageRef));
      }
    },
  };
}
