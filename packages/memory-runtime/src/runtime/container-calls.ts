import { frozenCopy } from '@nodeagent/api/helpers';
import type { Container, RuntimeService } from '@nodeagent/cri-api';
import type { CallGate } from '../calls.js';
import { criError } from '../errors.js';
import type { MemoryNode } from '../memory-node.js';
import { containerStatus, listedContainer } from '../views.js';
import { chunks, containersOf } from './selection.js';

/** The calls on containers, without their processes and stats. */
export function containerCalls(node: MemoryNode, gate: CallGate) {
  return {
    createContainer: (request, options = {}) =>
      gate.call('createContainer', request, options, () => ({ containerId: node.createContainer(request).id })),
    startContainer: (request, options = {}) =>
      gate.call('startContainer', request, options, async (context) => {
        const container = node.requireContainer(request.containerId ?? '');
        if (container.sandbox.state !== 'SANDBOX_READY') {
          throw criError('CRI_UNKNOWN', `sandbox container "${container.sandbox.id}" is not running`);
        }
        await node.runner.start(container, context);
        return {};
      }),
    stopContainer: (request, options = {}) =>
      gate.call('stopContainer', request, options, async (context) => {
        const container = node.containers.get(request.containerId ?? '');
        if (container) await node.runner.stop(container, Number(request.timeout ?? 0n) * 1_000, context);
        return {};
      }),
    removeContainer: (request, options = {}) =>
      gate.call('removeContainer', request, options, () => {
        const container = node.containers.get(request.containerId ?? '');
        if (container) node.removeContainer(container);
        return {};
      }),
    listContainers: (request, options = {}) =>
      gate.call('listContainers', request, options, () => ({ containers: containersOf(node, request.filter).map(listedContainer) })),
    streamContainers: (request, options = {}) =>
      gate.stream('streamContainers', request, options, () =>
        chunks(containersOf(node, request.filter).map(listedContainer), (containers: Container[]) => ({ containers })),
      ),
    containerStatus: (request, options = {}) =>
      gate.call('containerStatus', request, options, () => ({
        status: containerStatus(node.requireContainer(request.containerId ?? '')),
        info: {},
      })),
    updateContainerResources: (request, options = {}) =>
      gate.call('updateContainerResources', request, options, () => {
        const container = node.requireContainer(request.containerId ?? '');
        if (container.state === 'CONTAINER_EXITED') {
          throw criError(
            'CRI_FAILED_PRECONDITION',
            `failed to update resources: container "${container.id}" is in ${container.state} state`,
          );
        }
        container.resources = frozenCopy({ ...container.resources, ...request.linux });
        return {};
      }),
    reopenContainerLog: (request, options = {}) =>
      gate.call('reopenContainerLog', request, options, () => {
        const container = node.requireContainer(request.containerId ?? '');
        if (container.state !== 'CONTAINER_RUNNING') throw criError('CRI_FAILED_PRECONDITION', 'container is not running');
        return {};
      }),
  } satisfies Partial<RuntimeService>;
}
