import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of a Unix socket's path: unix(7) has 108 for it and the byte that ends it. */
const longestPath = 107;

/** The socket on which the agent that uses this folder answers. */
export const agentSocket = (rootDir: string) => join(rootDir, 'agent.sock');

/** A path of the agent's socket that the kernel takes; good until it is released. */
export interface ReachableSocket {
  path: string;
  release(): Promise<void>;
}

/** The socket's path, or where that is too long one that begins at an open handle of the folder: the socket is in the same place. */
export async function reachAgentSocket(rootDir: string): Promise<ReachableSocket> {
  const path = agentSocket(rootDir);
  if (Buffer.byteLength(path) <= longestPath) return { path, release: async () => {} };
  const folder = await open(rootDir, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: agentSocket(`/proc/self/fd/${folder.fd}`), release: () => folder.close() };
}
