import { join } from 'node:path';
import { shortFolderPath } from '@nodeagent/api/files';

const name = 'agent.sock';

/** The socket of the agent with this root directory. */
export const agentSocket = (rootDir: string) => join(rootDir, name);

/** A path of the agent's socket within the kernel's length limit; valid until released. */
export interface ReachableSocket {
  path: string;
  release(): Promise<void>;
}

export async function reachAgentSocket(rootDir: string): Promise<ReachableSocket> {
  const { path, release } = await shortFolderPath(rootDir, name);
  return { path: agentSocket(path), release };
}
