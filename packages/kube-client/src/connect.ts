import { runProgram } from './auth/node-program.js';
import { createKubeClient, type KubeClient, type KubeClientOptions } from './client.js';
import { checkCluster } from './config/check-cluster.js';
import { nodeFiles } from './config/node-files.js';
import { createNodeTransport } from './transport/node-transport.js';

/** Options of {@link connectKubeClient}: defaults of `transport`, `files` and `runProgram` are those of this machine. */
export type ConnectKubeClientOptions = Omit<KubeClientOptions, 'transport'> & Partial<Pick<KubeClientOptions, 'transport'>>;

/**
 * Creates a client that connects to `cluster.server` by HTTP/1.1 at the first call, and reads credentials from files and plugins of this
 * machine. Throws `InvalidOption`.
 */
export function connectKubeClient(options: ConnectKubeClientOptions): KubeClient {
  checkCluster(options.cluster);
  return createKubeClient({
    ...options,
    transport: options.transport ?? createNodeTransport(options.cluster),
    files: options.files ?? nodeFiles,
    runProgram: options.runProgram ?? runProgram,
  });
}
