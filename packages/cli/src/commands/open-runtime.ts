import { join } from 'node:path';
import { type Logger, systemClock } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { lockRuntime } from '../runtime-lock.js';

/** A runtime opened by the command. */
export interface OpenRuntime {
  services: { runtime: RuntimeService; image: ImageService };
  /** Name for the title. */
  name: string;
  /** Releases the runtime; with `kill` kills the remaining containers of an embedded one. */
  close(kill: boolean): Promise<void>;
}

/** The runtime endpoints. */
export interface RuntimeChoice {
  /** `embedded`, or the socket of a CRI runtime. */
  runtimeEndpoint: string;
  /** Default: the runtime's. */
  imageServiceEndpoint?: string | undefined;
  rootDir: string;
}

/** Opens the runtime, which no other agent may use. An external one may start later: its client connects at each call. */
export async function openRuntime({ runtimeEndpoint, imageServiceEndpoint, rootDir }: RuntimeChoice, logger: Logger): Promise<OpenRuntime> {
  if (runtimeEndpoint === 'embedded') {
    const { createProcessRuntime } = await import('@nodeagent/process-runtime');
    const runtime = createProcessRuntime({ root: join(rootDir, 'runtime'), clock: systemClock, logger });
    await runtime.start();
    return {
      // Without start and stop: the command itself stops the runtime, after it has killed the containers.
      services: { runtime: runtime.runtime, image: runtime.image },
      name: 'embedded runtime',
      async close(kill) {
        if (kill) await runtime.stopAll(0);
        await runtime.stop();
      },
    };
  }
  const unlock = await lockRuntime(runtimeEndpoint, logger);
  const { createCriClient } = await import('@nodeagent/cri-client');
  const client = createCriClient({
    endpoint: runtimeEndpoint,
    ...(imageServiceEndpoint && { imageEndpoint: imageServiceEndpoint }),
    logger,
  });
  return {
    services: client,
    name: runtimeEndpoint,
    async close() {
      client.close();
      unlock();
    },
  };
}
