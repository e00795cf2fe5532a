import {
  NodeAgentError,
  type PodAdmitHandler,
  type ReclaimingRuntime,
  type ResizableRuntime,
  type StreamingRuntime,
  type VersionedRuntime,
} from '@nodeagent/api';
import { coreErrorCodes } from '../errors.js';
import type { Capabilities, Capability } from './capabilities.js';

const resizing: Capability<ResizableRuntime> = {
  name: 'ResizableRuntime',
  fallback: { isPodResizeInProgress: () => false, actuatedPod: (pod) => pod },
  loss: 'pod resizes are rejected',
};

const noStreams = () =>
  Promise.reject(
    new NodeAgentError(coreErrorCodes.notSupported, 'the runtime does not support streaming', {
      hint: 'implement StreamingRuntime of @nodeagent/api',
    }),
  );

const streaming: Capability<StreamingRuntime> = {
  name: 'StreamingRuntime',
  fallback: { execUrl: noStreams, attachUrl: noStreams, portForwardUrl: noStreams },
  loss: 'exec, attach and port-forward are rejected',
};

const reclaiming: Capability<ReclaimingRuntime> = {
  name: 'ReclaimingRuntime',
  fallback: { deleteDeadContainers: async () => {}, deleteAllUnusedContainers: async () => {} },
  loss: 'dead containers remain until the next garbage collection, even under disk pressure',
};

const versioned: Capability<VersionedRuntime> = {
  name: 'VersionedRuntime',
  fallback: { runtimeVersion: async () => ({ name: '', version: 'Unknown' }) },
  loss: 'the Node reports no container runtime version',
};

/** What a runtime can do beyond `Runtime`. */
export const runtimeCapabilities = { resizing, streaming, reclaiming, versioned };

export type RuntimeCapabilities = Capabilities<typeof runtimeCapabilities>;

/** Whether the runtime can change the resources of running containers. */
export const isResizable = (capabilities: Pick<RuntimeCapabilities, 'resizing'>) => capabilities.resizing !== resizing.fallback;

/** Rejects resizes if the runtime does not support them. */
export function resizeAdmission(capabilities: () => RuntimeCapabilities): PodAdmitHandler {
  const refusal = { admit: false, reason: 'Infeasible', message: 'the runtime cannot resize running containers' } as const;
  return {
    admit: ({ operation }) => (operation === 'resize' && !isResizable(capabilities()) ? refusal : { admit: true }),
  };
}
