import type { RuntimeService } from '@nodeagent/cri-api';
import type { CallGate } from './calls.js';
import { criError } from './errors.js';
import type { MemoryNode } from './memory-node.js';
import { containerCalls } from './runtime/container-calls.js';
import { execCalls } from './runtime/exec-calls.js';
import { sandboxCalls } from './runtime/sandbox-calls.js';
import { statsCalls } from './runtime/stats-calls.js';

/** CRI's RuntimeService over the simulated node; every method passes the gate. */
export function createRuntimeService(node: MemoryNode, gate: CallGate): RuntimeService {
  const { runtimeName, runtimeVersion, cgroupDriver } = node.options;
  return {
    ...sandboxCalls(node, gate),
    ...containerCalls(node, gate),
    ...execCalls(node, gate),
    ...statsCalls(node, gate),
    version: (request, options = {}) =>
      gate.call('version', request, options, () => ({
        version: '0.1.0',
        runtimeName,
        runtimeVersion,
        runtimeApiVersion: 'v1',
      })),
    status: (request, options = {}) => gate.call('status', request, options, () => node.status()),
    runtimeConfig: (request, options = {}) => gate.call('runtimeConfig', request, options, () => ({ linux: { cgroupDriver } })),
    updateRuntimeConfig: (request, options = {}) => gate.call('updateRuntimeConfig', request, options, () => ({})),

    getContainerEvents: (request, options = {}) =>
      gate.stream('getContainerEvents', request, options, (context) => node.events.subscribe(context)),
    checkpointContainer: (request, options = {}) =>
      gate.call('checkpointContainer', request, options, () => {
        throw criError('CRI_UNIMPLEMENTED', 'method CheckpointContainer not implemented');
      }),
  };
}
