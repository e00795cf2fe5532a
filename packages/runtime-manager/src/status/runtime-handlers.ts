import type { RuntimeHealth } from '@nodeagent/api';
import type { RuntimeHandlerFeatures, StatusResponse } from '@nodeagent/cri-api';
import type { CriRuntime } from '../cri/methods.js';

const noFeatures: RuntimeHandlerFeatures = { recursiveReadOnlyMounts: false, userNamespaces: false };

/** The features of the runtime's handlers, as last reported; `''` is the default handler. */
export interface RuntimeHandlers {
  /** Records the runtime's response to Status. */
  update(answer: Pick<StatusResponse, 'runtimeHandlers'>): void;
  /** Calls Status if the runtime has not reported yet, and rejects if that fails. A handler that the runtime does not report has no features. */
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

/** Converts the handlers and features of a Status response to the types of the `Runtime` contract. */
export function reportedFeatures({ runtimeHandlers, features }: StatusResponse): Pick<RuntimeHealth, 'handlers' | 'features'> {
  const handlers = (runtimeHandlers ?? []).map(({ name, features: of }) => ({ name, features: { ...(of ?? noFeatures) } }));
  return {
    ...(handlers.length > 0 && { handlers }),
    ...(features && { features: { supplementalGroupsPolicy: features.supplementalGroupsPolicy } }),
  };
}
