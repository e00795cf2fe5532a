import { arch } from 'node:process';
import { goArchitecture } from '@nodeagent/node-status/decisions';
import type { ClusterOptions } from '../cluster/cluster.js';
import { joinCluster as joinWithMachine, type JoinClusterOptions as MachineJoinOptions } from '../cluster/join-cluster.js';

/** Options of {@link joinCluster}. */
export interface JoinClusterOptions extends Omit<MachineJoinOptions, 'architecture' | 'machine' | 'network'> {
  /** Root directory of the agent; its file system counts as the node's local ephemeral storage. */
  rootDir: string;
  /** As Go names it. Default: that of the process. */
  architecture?: string;
  /** Default: read from this machine. */
  machine?: MachineJoinOptions['machine'];
  /** Default: this machine's. */
  network?: MachineJoinOptions['network'];
}

/**
 * Creates the `cluster` option of an agent that joins a cluster with this machine. The agent registers the Node and reports its status, takes
 * pods from the API server and reports their statuses, creates mirror pods of static pods, reads the objects that pods refer to, and rejects
 * pods that do not fit. Sends no request before the agent starts, and does not reject if the API server is unreachable.
 */
export async function joinCluster({ rootDir, architecture, machine, network, ...options }: JoinClusterOptions): Promise<ClusterOptions> {
  const { createMachineReader, createNetworkReader } = await import('@nodeagent/node-status/node');
  return joinWithMachine({
    ...options,
    architecture: architecture ?? goArchitecture(arch),
    machine: machine ?? createMachineReader({ stateDirectory: rootDir }),
    network: network ?? createNetworkReader(),
  });
}
