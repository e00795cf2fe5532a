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
        informer.start(signal).catch((error) => logger.error({ err: error }, 'following the API server failed'));
      }
    },
    async stop() {
      await Promise.all(informers.map((informer) => informer.stop()));
    },
  };
}
