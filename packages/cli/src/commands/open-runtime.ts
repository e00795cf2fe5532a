import { type Logger, systemClock } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { ProcessRuntime } from '@nodeagent/process-runtime';
import type { RuntimeChoice } from '../machine/choose-runtime.js';
import { endOciContainers, endProcesses, processRoot } from '../oci/end-other-containers.js';
import { ociFolders } from '../oci/oci-state.js';
import type { NodeRuntimeOptions } from '../oci/open-node-runtime.js';
import { lockRuntime } from '../runtime-lock.js';

/** A runtime opened by the command. */
export interface OpenRuntime {
  services: { runtime: RuntimeService; image: ImageService };
  /** Name for the title. */
  name: string;
  /** Releases the runtime; with `kill` kills the remaining containers of one in this process. */
  close(kill: boolean): Promise<void>;
}

/** Which runtime to open. */
export interface RuntimeToOpen {
  /** That of this process, or the endpoint of a CRI runtime. */
  choice: RuntimeChoice | { type: 'cri'; endpoint: string };
  /** Endpoint of a CRI image service. Default: that of the runtime. */
  imageServiceEndpoint?: string | undefined;
  rootDir: string;
  /** Of the OCI runtime. */
  oci: Pick<NodeRuntimeOptions, 'handlers' | 'cgroupDriver' | 'hasDefaultNetwork'>;
}

/**
 * Opens the runtime, which no other agent may use. An external one may start later: its client connects at each call. Ends what earlier agents
 * with this root directory have left on the runtimes of their processes.
 */
export async function openRuntime({ choice, imageServiceEndpoint, rootDir, oci }: RuntimeToOpen, logger: Logger): Promise<OpenRuntime> {
  if (choice.type !== 'oci') await endOciContainers(rootDir, oci, logger);
  if (choice.type === 'process') return openProcessRuntime(rootDir, logger);
  if (choice.type === 'cri') return openCriRuntime(choice.endpoint, imageServiceEndpoint, logger);
  await endProcesses(rootDir, logger);
  const { openNodeRuntime } = await import('../oci/open-node-runtime.js');
  const opened = await openNodeRuntime({ ...ociFolders(rootDir), program: choice.program, ...oci, logger });
  return { services: servicesOf(opened), name: choice.title, close: (kill) => closeRuntime(opened, kill) };
}

async function openProcessRuntime(rootDir: string, logger: Logger): Promise<OpenRuntime> {
  const { createProcessRuntime } = await import('@nodeagent/process-runtime');
  const opened = createProcessRuntime({ root: processRoot(rootDir), clock: systemClock, logger });
  await opened.start();
  return { services: servicesOf(opened), name: 'embedded runtime', close: (kill) => closeRuntime(opened, kill) };
}

type EmbeddedRuntime = Pick<ProcessRuntime, 'runtime' | 'image' | 'stopAll' | 'stop'>;

/** Without start and stop: the command itself stops the runtime, after it has killed the containers. */
const servicesOf = ({ runtime, image }: EmbeddedRuntime) => ({ runtime, image });

async function closeRuntime(opened: EmbeddedRuntime, kill: boolean): Promise<void> {
  if (kill) await opened.stopAll(0);
  await opened.stop();
}

async function openCriRuntime(endpoint: string, imageEndpoint: string | undefined, logger: Logger): Promise<OpenRuntime> {
  const unlock = await lockRuntime(endpoint, logger);
  const { createCriClient } = await import('@nodeagent/cri-client');
  const client = createCriClient({ endpoint, ...(imageEndpoint && { imageEndpoint }), logger });
  return {
    services: client,
    name: endpoint,
    async close() {
      client.close();
      unlock();
    },
  };
}
