import { type ConfigMap, isApiReason, type Secret } from '@nodeagent/api';
import type { EnvironmentPorts } from '@nodeagent/api/helpers';
import type { PodObjects } from './pod-objects.js';
import type { Services } from './services.js';

/** The ports that read a container's environment from a cluster, without `readEnvFile`, which reads volumes. */
export function environmentPorts({
  services,
  configMaps,
  secrets,
}: {
  services: Pick<Services, 'list'>;
  configMaps: Pick<PodObjects<ConfigMap>, 'get'>;
  secrets: Pick<PodObjects<Secret>, 'get'>;
}): Required<Omit<EnvironmentPorts, 'readEnvFile'>> {
  return {
    listServices: () => services.list(),
    getConfigMap: (namespace, name, signal) => ifFound(configMaps.get(namespace, name, signal)),
    getSecret: (namespace, name, signal) => ifFound(secrets.get(namespace, name, signal)),
  };
}

async function ifFound<T>(object: Promise<T>): Promise<T | undefined> {
  try {
    return await object;
  } catch (error) {
    if (isApiReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
