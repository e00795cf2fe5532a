import { type EnvironmentPorts, type EventRecorder, type ImageManager, type Logger, podUid } from '@nodeagent/api';
import { getPullSecrets } from '@nodeagent/image-manager';
import type { RuntimeManagerOptions } from '@nodeagent/runtime-manager';

export interface ImageEnsurerOptions {
  images: Pick<ImageManager, 'ensureImageExists'>;
  getSecret?: EnvironmentPorts['getSecret'];
  /** The signal of a pod's sync that is under way. */
  signalOf(podUid: string): AbortSignal | undefined;
  recorder: EventRecorder;
  logger: Logger;
}

/** The image manager as the runtime manager asks it: with the pod's pull secrets, and until the pod's sync ends. */
export function createImageEnsurer({
  images,
  getSecret,
  signalOf,
  recorder,
  logger,
}: ImageEnsurerOptions): RuntimeManagerOptions['images'] {
  const ports = { getSecret: getSecret ?? (async () => undefined), recorder, logger };
  return {
    async ensureImageExists(request) {
      const signal = signalOf(podUid(request.pod));
      return images.ensureImageExists({ ...request, pullSecrets: await getPullSecrets(request.pod, ports, signal) }, signal);
    },
  };
}
