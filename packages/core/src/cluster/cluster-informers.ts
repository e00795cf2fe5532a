import {
  apiStatusError,
  type Informer,
  type Logger,
  NodeAgentError,
  type ObjectGetter,
  type RuntimeClass,
  type Startable,
} from '@nodeagent/api';
import { coreErrorCodes } from '../errors.js';

/** Reads RuntimeClasses from the informer's cache, so that pods start while the API server is unreachable. */
export function cachedRuntimeClasses(classes: Informer<RuntimeClass>): ObjectGetter<RuntimeClass> {
  return {
    async get({ name }) {
      const found = classes.get({ name });
      if (found) return found;
      if (!classes.hasSynced)
        throw new NodeAgentError(coreErrorCodes.notSynced, 'runtime classes are not synced from the API server yet', { retryable: true });
      throw apiStatusError({ code: 404, reason: 'NotFound', message: `runtimeclass.node.k8s.io "${name}" not found` });
    },
  };
}

/** Starts informers without waiting for an unreachable API server. */
export function startInformers(informers: readonly Informer<never>[], signal: AbortSignal, logger: Logger): Startable {
  return {
    async start() {
      for (const informer of informers) {
        informer.start(signal).catch((error) => logger.error({ err: error }, 'informer failed'));
      }
    },
    async stop() {
      await Promise.all(informers.map((informer) => informer.stop()));
    },
  };
}
