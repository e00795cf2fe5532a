import { abortable, NodeAgentError } from '@nodeagent/api';
import { createInProcessTransport, type InProcessServer, type Transport } from '@nodeagent/kube-client';
import type { Life } from './life.js';

/**
 * How a node is cut off from its API server. `refused`: connections break and new ones are refused, as when the server is away. `silent`:
 * nothing arrives in either direction and nobody says so, as with a firewall that drops packets; what was sent arrives when it is over,
 * unless its sender has given up.
 */
export type PartitionKind = 'refused' | 'silent';

/** A node's way to its API server. */
export interface NodeLink {
  readonly partition: PartitionKind | undefined;
  cut(kind: PartitionKind): void;
  heal(): void;
  /** A transport for one client of one of the node's agents. */
  transport(life: Life): Transport;
}

/** The link to a server that is called instead of reached. */
export function createNodeLink(server: InProcessServer): NodeLink {
  let partition: PartitionKind | undefined;
  let passable = Promise.resolve();
  let open = () => {};
  const transports = new Set<Transport>();

  /** Resolves when something may pass; at once if nothing is in the way. */
  const pass = async (signal: AbortSignal): Promise<void> => {
    while (partition === 'silent') await abortable(passable, signal);
    if (partition === 'refused') throw connectionRefused();
  };
  async function* pieces(body: AsyncIterable<string | Uint8Array>, signal: AbortSignal): AsyncIterable<string | Uint8Array> {
    for await (const piece of body) {
      if (partition) await pass(signal);
      yield piece;
    }
  }
  const linked: InProcessServer = {
    async handle(request) {
      if (partition) await pass(request.signal);
      const answer = await server.handle(request);
      if (partition) await pass(request.signal);
      return typeof answer.body === 'string' ? answer : { ...answer, body: pieces(answer.body, request.signal) };
    },
  };

  return {
    get partition() {
      return partition;
    },
    cut(kind) {
      open();
      partition = kind;
      passable = new Promise((resolve) => {
        open = resolve;
      });
      if (kind === 'refused') for (const transport of transports) transport.closeConnections();
    },
    heal() {
      partition = undefined;
      open();
    },
    transport(life) {
      const transport = createInProcessTransport(linked);
      transports.add(transport);
      life.onEnd(() => {
        transports.delete(transport);
        transport.closeConnections();
      });
      return {
        send: async (request) => {
          const answer = await life.hear(transport.send(request));
          return { ...answer, body: life.hearAll(answer.body) };
        },
        closeConnections: () => transport.closeConnections(),
      };
    },
  };
}

const connectionRefused = () =>
  new NodeAgentError('ApiUnreachable', 'API server simulated:6443: connect ECONNREFUSED', { retryable: true });
