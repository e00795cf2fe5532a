import {
  apiStatusError,
  type ConfigMap,
  type EnvironmentPorts,
  errorMessage,
  type Informer,
  isApiReason,
  type KubeObject,
  type Logger,
  NodeAgentError,
  type ObjectGetter,
  type RuntimeClass,
  type Secret,
  type Service,
  type Startable,
} from '@nodeagent/api';
import { coreErrorCodes } from './errors.js';

/** Services, config maps and secrets of the cluster, as containers' environments and image pulls ask for them. */
export function clusterEnvironment(
  services: Informer<Service> | undefined,
  { secrets, configMaps }: { secrets?: ObjectGetter<Secret> | undefined; configMaps?: ObjectGetter<ConfigMap> | undefined },
): EnvironmentPorts {
  return {
    ...(services && { listServices: () => (services.synced ? services.list() : undefined) }),
    ...(configMaps && { getConfigMap: (namespace, name, signal) => found(configMaps, namespace, name, signal) }),
    ...(secrets && { getSecret: (namespace, name, signal) => found(secrets, namespace, name, signal) }),
  };
}

async function found<T extends KubeObject>(objects: ObjectGetter<T>, namespace: string, name: string, signal?: AbortSignal) {
  try {
    return await objects.get({ namespace, name }, signal ? { signal } : {});
  } catch (error) {
    if (isApiReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** RuntimeClasses from a local copy, so that pods start while the API server is away. */
export function copiedRuntimeClasses(classes: Informer<RuntimeClass>): ObjectGetter<RuntimeClass> {
  return {
    async get({ name }) {
      const found = classes.get({ name });
      if (found) return found;
      if (!classes.synced)
        throw new NodeAgentError(coreErrorCodes.notSynced, 'runtime classes have not been read yet', { retryable: true });
      throw apiStatusError({ code: 404, reason: 'NotFound', message: `runtimeclass.node.k8s.io "${name}" not found` });
    },
  };
}

/** Starts informers without waiting for an API server that is away. */
export function startedTogether(informers: readonly Informer<never>[], signal: AbortSignal, logger: Logger): Startable {
  return {
    async start() {
      for (const informer of informers) {
        informer.start(signal).catch((error) => logger.error({ error: errorMessage(error) }, 'following the API server failed'));
      }
    },
    async stop() {
      await Promise.all(informers.map((informer) => informer.stop()));
    },
  };
}
