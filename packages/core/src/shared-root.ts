import { mkdir } from 'node:fs/promises';
import { errorMessage, type Logger, type Startable } from '@nodeagent/api';
import { type Mounter, makeRShared, undoRShared } from '@nodeagent/volume-manager';

/**
 * The agent's folder as a mount that passes on what is mounted below it, as a kubelet's is: without it neither a CSI driver in a container
 * nor `mountPropagation` can work. Where that cannot be, the agent runs without and says so.
 */
export function sharedRoot(rootDir: string, mounter: Mounter, logger: Logger): Startable {
  let isBound = false;
  return {
    async start(signal) {
      try {
        await mkdir(rootDir, { recursive: true, mode: 0o750 });
        isBound = await makeRShared(mounter, rootDir, signal);
      } catch (error) {
        logger.warn({ path: rootDir }, `mounts are not passed on between the node and containers: ${errorMessage(error)}`);
      }
    },
    async stop() {
      if (isBound) await undoRShared(mounter, rootDir).catch((error) => logger.debug({ path: rootDir }, errorMessage(error)));
      isBound = false;
    },
  };
}
