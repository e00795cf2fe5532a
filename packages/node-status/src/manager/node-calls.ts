import { type Clock, invalidOption, type Node } from '@nodeagent/api';
import type { NodeStatusManagerOptions } from './options.js';
import { timedCall } from './timed-call.js';

/** Calls of the API server about the agent's Node, with a timeout. They reject without an API server. */
export interface NodeCalls {
  /** `cached`: the API server may answer from its cache. */
  get(signal: AbortSignal | undefined, from?: 'cached'): Promise<Node>;
  create(node: Node, signal: AbortSignal): Promise<Node>;
  patchStatus(patch: unknown, signal: AbortSignal): Promise<Node>;
}

export function createNodeCalls(
  { nodes, nodeName }: Pick<NodeStatusManagerOptions, 'nodes' | 'nodeName'>,
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): NodeCalls {
  const key = { name: nodeName };
  const call = (signal: AbortSignal | undefined, work: (client: NonNullable<typeof nodes>, signal: AbortSignal) => Promise<Node>) =>
    timedCall(clock, timeoutMs, signal, (limited) => {
      if (nodes === undefined) throw invalidOption('nodes', 'set', nodes);
      return work(nodes, limited);
    });
  return {
    get: (outer, from) => call(outer, (client, signal) => client.get(key, { ...(from === 'cached' && { resourceVersion: '0' }), signal })),
    create: (node, outer) => call(outer, (client, signal) => client.create(node, { signal })),
    patchStatus: (patch, outer) =>
      call(outer, (client, signal) => client.patch(key, patch, { type: 'strategic', subresource: 'status', signal })),
  };
}
