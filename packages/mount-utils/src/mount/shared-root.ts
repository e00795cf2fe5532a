import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, type Mounter, replaceFile, type Startable, silentLogger } from '@nodeagent/api';
import { isBoundOntoItself, makeRShared, undoRShared } from './make-rshared.js';

/** File in the agent's folder with the boot in which an agent bound the folder onto itself. An administrator's own bind has no such file. */
const noteName = 'bound-onto-itself';

export interface SharedRootOptions {
  /** The agent's folder. */
  rootDir: string;
  mounter: Mounter;
  /** Default: silent. */
  logger?: Logger;
  /** Identifies the machine's boot, with which all mounts end. Default: the kernel's. */
  bootId?(): Promise<string>;
  /** As {@link undoRShared}. */
  isSharedElsewhere?(group: number): Promise<boolean>;
}

/**
 * Makes the agent's folder a mount that passes on what is mounted below it, as a kubelet's is: CSI drivers in containers and
 * `mountPropagation` need it. `start` logs a failure and does not reject.
 *
 * A kubelet never removes this mount. `stop` does, also if a run that was killed made the mount, but only if nothing is mounted below and no
 * container shares it; otherwise the mount stays for the next run, which owns it.
 */
export function createSharedRoot({
  rootDir,
  mounter,
  logger = silentLogger,
  bootId = kernelBootId,
  isSharedElsewhere,
}: SharedRootOptions): Startable {
  const note = join(rootDir, noteName);

  async function isOwn(): Promise<boolean> {
    const boot = await readFile(note, 'utf8').catch(() => undefined);
    return mounter.canMount && boot !== undefined && boot === (await bootId()) && (await isBoundOntoItself(mounter, rootDir));
  }

  return {
    async start(signal) {
      try {
        await mkdir(rootDir, { recursive: true, mode: 0o750 });
        await makeRShared(mounter, rootDir, {
          ...(signal && { signal }),
          // First: a run that is killed in between leaves a note without a mount, which does no harm, not a mount without an owner.
          beforeBind: async () => replaceFile(note, await bootId()),
        });
      } catch (error) {
        logger.warn({ path: rootDir, err: error }, 'mounts are not passed on between the node and containers');
      }
    },
    async stop() {
      try {
        if (!(await isOwn())) return;
        if (await undoRShared(mounter, rootDir, isSharedElsewhere)) await rm(note, { force: true });
        else logger.debug({ path: rootDir }, 'the shared mount stays for the next run: pods still use it');
      } catch (error) {
        logger.warn({ path: rootDir, err: error }, "the shared mount of the agent's folder stays");
      }
    },
  };
}

const kernelBootId = async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
