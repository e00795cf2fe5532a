import type { RuntimeHealth } from '@nodeagent/api';
import type { RuntimeHandlerFeatures, StatusResponse } from '@nodeagent/cri-api';
import type { CriRuntime } from './cri-runtime.js';

const noFeatures: RuntimeHandlerFeatures = { recursiveReadOnlyMounts: false, userNamespaces: false };

/** What the runtime's handlers can do, as it last said; `''` names the default handler. */
export interface RuntimeHandlers {
  /** Takes note of an answer of the runtime. */
  update(answer: Pick<StatusResponse, 'runtimeHandlers'>): void;
  /** Asks the runtime if it has not said yet, and rejects if it does not answer. A handler that it does not name can do nothing. */
  features(handler: string): Promise<RuntimeHandlerFeatures>;
}

export function createRuntimeHandlers(cri: Pick<CriRuntime, 'status'>): RuntimeHandlers {
  let known: ReadonlyMap<string, RuntimeHandlerFeatures> | undefined;
  const update: RuntimeHandlers['update'] = ({ runtimeHandlers }) => {
    known = new Map((runtimeHandlers ?? []).map(({ name, features }) => [name, features ?? noFeatures]));
  };
  return {
    update,
    async features(handler) {
      if (known === undefined) update(await cri.status({}));
      return known?.get(handler) ?? noFeatures;
    },
  };
}

/** The handlers and features of an answer in the words of the runtime contract. */
export function reportedFeatures({ runtimeHandlers, features }: StatusResponse): Pick<RuntimeHealth, 'handlers' | 'features'> {
  const handlers = (runtimeHandlers ?? []).map(({ name, features: of }) => ({ name, features: { ...(of ?? noFeatures) } }));
  return {
    ...(handlers.length > 0 && { handlers }),
    ...(features && { features: { supplementalGroupsPolicy: features.supplementalGroupsPolicy } }),
  };
}
