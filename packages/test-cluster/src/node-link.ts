import { abortable, NodeAgentError } from '@nodeagent/api';
import { createInProcessTransport, type InProcessServer, type Transport } from '@nodeagent/kube-client';
import type { AgentProcess } from './agent-process.js';

/**
 * How a node is partitioned from its API server. `refused`: connections break and new ones are refused, as if the server were down. `silent`:
 * packets are dropped in both directions, as by a firewall; requests arrive after the partition has healed,
 * unless their sender has timed out.
 */
export type PartitionKind = 'refused' | 'silent';

/** A node's network link to its API server. */
export interface NodeLink {
  readonly partition: PartitionKind | undefined;
  cut(kind: PartitionKind): void;
  heal(): void;
  /** A transport of other programs on the node, to the same server by another function. */
  connect(server: InProcessServer): Transport;
  /** A transport for one client of one of the node's agents. */
  transport(agentProcess: AgentProcess): Transport;
}

/** Creates the link to an in-process server; `connect` creates the transport of one client. */
export function createNodeLink(
  server: InProcessServer,
  connect: (server: InProcessServer) => Transport = createInProcessTransport,
): NodeLink {
  let partition: PartitionKind | undefined;
  let passable = Promise.resolve();
  let open = () => {};
  const transports = new Set<Transport>();

  /** Resolves when the link passes packets. */
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
  const linked = (target: InProcessServer): InProcessServer => ({
    async handle(request) {
      if (partition) await pass(request.signal);
      const answer = await target.handle(request);
      if (partition) await pass(request.signal);
      return typeof answer.body === 'string' ? answer : { ...answer, body: pieces(answer.body, request.signal) };
    },
  });

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
    connect(target) {
      const transport = createInProcessTransport(linked(target));
      transports.add(transport);
      return transport;
    },
    transport(agentProcess) {
      const transport = connect(linked(server));
      transports.add(transport);
      agentProcess.onEnd(() => {
        transports.delete(transport);
        transport.closeConnections();
      });
      const bound = agentProcess.bind(transport);
      return {
        send: async (request) => {
          const answer = await bound.send(request);
          return { ...answer, body: agentProcess.receiveAll(answer.body) };
        },
        closeConnections: () => transport.closeConnections(),
      };
    },
  };
}

const connectionRefused = () =>
  new NodeAgentError('ApiUnreachable', 'API server simulated:6443: connect ECONNREFUSED', { retryable: true });
