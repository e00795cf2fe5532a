import { frozenCopy } from '@nodeagent/api/helpers';
import type { PodSandbox, RuntimeService } from '@nodeagent/cri-api';
import type { CallGate } from '../calls.js';
import type { MemoryNode } from '../memory-node.js';
import { listedSandbox, sandboxStatus } from '../views.js';
import { chunks, sandboxesOf } from './selection.js';

/** The calls on sandboxes. */
export function sandboxCalls(node: MemoryNode, gate: CallGate) {
  return {
    runPodSandbox: (request, options = {}) =>
      gate.call('runPodSandbox', request, options, () => ({ podSandboxId: node.createSandbox(request).id })),
    stopPodSandbox: (request, options = {}) =>
      gate.call('stopPodSandbox', request, options, () => {
        const sandbox = node.sandboxes.get(request.podSandboxId ?? '');
        if (sandbox) node.stopSandbox(sandbox);
        return {};
      }),
    removePodSandbox: (request, options = {}) =>
      gate.call('removePodSandbox', request, options, () => {
        const sandbox = node.sandboxes.get(request.podSandboxId ?? '');
        if (sandbox) node.removeSandbox(sandbox);
        return {};
      }),
    podSandboxStatus: (request, options = {}) =>
      gate.call('podSandboxStatus', request, options, () => {
        const sandbox = node.requireSandbox(request.podSandboxId ?? '');
        return { status: sandboxStatus(sandbox), info: {}, containersStatuses: [], timestamp: 0n };
      }),
    listPodSandbox: (request, options = {}) =>
      gate.call('listPodSandbox', request, options, () => ({ items: sandboxesOf(node, request.filter).map(listedSandbox) })),
    streamPodSandboxes: (request, options = {}) =>
      gate.stream('streamPodSandboxes', request, options, () =>
        chunks(sandboxesOf(node, request.filter).map(listedSandbox), (podSandboxes: PodSandbox[]) => ({ podSandboxes })),
      ),
    updatePodSandboxResources: (request, options = {}) =>
      gate.call('updatePodSandboxResources', request, options, () => {
        const sandbox = node.requireSandbox(request.podSandboxId ?? '');
        sandbox.overhead = frozenCopy(request.overhead ?? sandbox.overhead);
        sandbox.resources = frozenCopy(request.resources ?? sandbox.resources);
        return {};
      }),
  } satisfies Partial<RuntimeService>;
}
