import type { RuntimeService } from '@nodeagent/cri-api';
import type { CallGate } from '../calls.js';
import { criError } from '../errors.js';
import type { MemoryNode } from '../memory-node.js';
import type { ContainerRecord } from '../records.js';

const encoder = new TextEncoder();

/** The calls that run commands in containers or open streams to them. */
export function execCalls(node: MemoryNode, gate: CallGate) {
  return {
    execSync: (request, options = {}) =>
      gate.call('execSync', request, options, async (context) => {
        const container = node.requireContainer(request.containerId ?? '');
        const timeoutMs = Number(request.timeout ?? 0n) * 1_000;
        const { exitCode, stdout, stderr } = await node.runner.exec(container, [...(request.cmd ?? [])], timeoutMs, context);
        return { exitCode, stdout: encoder.encode(stdout), stderr: encoder.encode(stderr) };
      }),
    exec: (request, options = {}) =>
      gate.call('exec', request, options, () => ({ url: streamingUrl('exec', runningContainer(node, request.containerId)) })),
    attach: (request, options = {}) =>
      gate.call('attach', request, options, () => ({ url: streamingUrl('attach', runningContainer(node, request.containerId)) })),
    portForward: (request, options = {}) =>
      gate.call('portForward', request, options, () => ({
        url: streamingUrl('portforward', node.requireSandbox(request.podSandboxId ?? '')),
      })),
  } satisfies Partial<RuntimeService>;
}

function runningContainer(node: MemoryNode, id = ''): ContainerRecord {
  const container = node.requireContainer(id);
  if (container.state !== 'CONTAINER_RUNNING') throw criError('CRI_UNKNOWN', `container is in ${container.state} state`);
  return container;
}

/** No server listens at this URL: the in-memory runtime has no streaming server. */
function streamingUrl(kind: string, { id }: { id: string }): string {
  return `http://memory-runtime.invalid/${kind}/${id.slice(0, 13)}`;
}
