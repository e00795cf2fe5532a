import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Maximum length of a Unix socket's path in bytes: 108 with the final zero byte, unix(7). */
const maxPathBytes = 107;

/** The socket of the agent with this root directory. */
export const agentSocket = (rootDir: string) => join(rootDir, 'agent.sock');

/** A path of the agent's socket within the kernel's length limit; valid until released. */
export interface ReachableSocket {
  path: string;
  release(): Promise<void>;
}

/** Returns the socket's path. If it is too long, the path refers to the directory by an open handle in /proc/self/fd. */
export async function reachAgentSocket(rootDir: string): Promise<ReachableSocket> {
  const path = agentSocket(rootDir);
  if (Buffer.byteLength(path) <= maxPathBytes) return { path, release: async () => {} };
  const folder = await open(rootDir, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: agentSocket(`/proc/self/fd/${folder.fd}`), release: () => folder.close() };
}
