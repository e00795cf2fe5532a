import { type EnsureImageRequest, type EventRecorder, type ImageManager, type Logger, noEvents, silentLogger } from '@nodeagent/api';
import { type EnvironmentPorts, podUid } from '@nodeagent/api/helpers';
import { getPullSecrets } from './pull-secrets.js';

export interface PodImagesOptions {
  images: Pick<ImageManager, 'ensureImageExists'>;
  /** Default: pods have no pull secrets. */
  getSecret?: EnvironmentPorts['getSecret'];
  /** The signal of the pod's sync in progress. */
  signalOf(podUid: string): AbortSignal | undefined;
  recorder?: EventRecorder;
  logger?: Logger;
}

/** The image manager for a runtime manager: adds the pod's pull secrets, and aborts with the pod's sync. */
export function createPodImages(options: PodImagesOptions): {
  ensureImageExists(request: Omit<EnsureImageRequest, 'pullSecrets'>): ReturnType<ImageManager['ensureImageExists']>;
} {
  const { images, getSecret = async () => undefined, signalOf, recorder = noEvents, logger = silentLogger } = options;
  return {
    async ensureImageExists(request) {
      const signal = signalOf(podUid(request.pod));
      return images.ensureImageExists(
        { ...request, pullSecrets: await getPullSecrets(request.pod, { getSecret, recorder, logger }, signal) },
        signal,
      );
    },
  };
}
