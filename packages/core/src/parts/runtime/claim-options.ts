import type { DraManager } from '@nodeagent/dra-manager';
import type { RuntimeManagerOptions } from '@nodeagent/runtime-manager';

/** How the runtime manager prepares the resource claims of pods and gives their devices to containers. */
export function draRuntimeOptions(manager: DraManager): Required<Pick<RuntimeManagerOptions, 'prepareDynamicResources' | 'deviceOptions'>> {
  return {
    prepareDynamicResources: (pod, signal) => manager.prepareResources(pod, signal),
    deviceOptions: async (pod, container) => ({ cdiDevices: manager.getCdiDevices(pod, container).map((name) => ({ name })) }),
  };
}
