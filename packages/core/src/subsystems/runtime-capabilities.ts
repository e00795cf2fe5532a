import {
  NodeAgentError,
  type PodAdmitHandler,
  type ReclaimingRuntime,
  type ResizableRuntime,
  type Runtime,
  type StreamingRuntime,
  type VersionedRuntime,
} from '@nodeagent/api';
import { coreErrorCodes } from '../errors.js';
import { type Capabilities, type Capability, capabilitiesOf } from './capabilities.js';

const resizing: Capability<ResizableRuntime> = {
  name: 'ResizableRuntime',
  without: { isPodResizeInProgress: () => false, actuatedPod: (pod) => pod },
  loss: 'resizes of pods are refused',
};

const noStreams = () =>
  Promise.reject(
    new NodeAgentError(coreErrorCodes.notSupported, 'the runtime has no streams', { hint: 'give it the methods of StreamingRuntime' }),
  );

const streaming: Capability<StreamingRuntime> = {
  name: 'StreamingRuntime',
  without: { execUrl: noStreams, attachUrl: noStreams, portForwardUrl: noStreams },
  loss: 'exec, attach and port-forward are refused',
};

const reclaiming: Capability<ReclaimingRuntime> = {
  name: 'ReclaimingRuntime',
  without: { deleteDeadContainers: async () => {}, deleteAllUnusedContainers: async () => {} },
  loss: 'dead containers stay until the next garbage collection, also when the disk is full',
};

const versioned: Capability<VersionedRuntime> = {
  name: 'VersionedRuntime',
  without: { runtimeVersion: async () => ({ name: '', version: 'Unknown' }) },
  loss: 'the Node reports no version of the runtime',
};

/** What a runtime may be able to do beside `Runtime`. */
export const runtimeCapabilities = { resizing, streaming, reclaiming, versioned };

export type RuntimeCapabilities = Capabilities<typeof runtimeCapabilities>;

/** Whether the runtime changes the resources of running containers. */
export const isResizable = (runtime: Runtime) => capabilitiesOf('parts.runtime', runtime, { resizing }).missing.length === 0;

/** Refuses resizes where the runtime applies none. */
export function resizeAdmission(capabilities: () => RuntimeCapabilities): PodAdmitHandler {
  const refusal = { admit: false, reason: 'Infeasible', message: 'the runtime cannot resize running containers' } as const;
  return { admit: ({ operation }) => (operation === 'resize' && capabilities().resizing === resizing.without ? refusal : { admit: true }) };
}
