import { type EventRecorder, type Logger, noEvents, type Pod, type Secret, silentLogger } from '@nodeagent/api';
import { podReference } from '@nodeagent/api/helpers';

export interface PullSecretPorts {
  /** Resolves to undefined if the secret does not exist. */
  getSecret(namespace: string, name: string, signal?: AbortSignal): Promise<Secret | undefined>;
  recorder?: EventRecorder;
  logger?: Logger;
}

/**
 * The secrets in a pod's `imagePullSecrets`, in order. Secrets that cannot be fetched are skipped, with one event
 * `FailedToRetrieveImagePullSecret`: the image may be public.
 */
export async function getPullSecrets(pod: Pod, ports: PullSecretPorts, signal?: AbortSignal): Promise<Secret[]> {
  const { getSecret, recorder = noEvents, logger = silentLogger } = ports;
  const namespace = pod.metadata?.namespace ?? '';
  const names = (pod.spec?.imagePullSecrets ?? []).map(({ name = '' }) => name).filter((name) => name !== '');
  const found = await Promise.all(
    names.map((name) =>
      getSecret(namespace, name, signal).catch((error: unknown) => {
        logger.warn({ namespace, name, err: error }, 'unable to retrieve a pull secret');
        return undefined;
      }),
    ),
  );
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) {
    const list = missing.join(', ');
    const message = `Unable to retrieve some image pull secrets (${list}); attempting to pull the image may not succeed.`;
    recorder.event(podReference(pod), 'Warning', 'FailedToRetrieveImagePullSecret', message);
  }
  return found.filter((secret) => secret !== undefined);
}
