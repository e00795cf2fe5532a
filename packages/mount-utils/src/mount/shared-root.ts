import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, type Mounter, type Startable, silentLogger, systemClock } from '@nodeagent/api';
import { replaceFile } from '@nodeagent/api/files';
import { isBoundOntoItself, makeRShared, undoRShared } from './make-rshared.js';
import { hasMountsOfGroup } from './mount-namespaces.js';

/** File in the root directory with the ID of the boot in which an agent bound the directory onto itself. An administrator's bind mount has no such file. */
const noteName = 'bound-onto-itself';

/** A container shares all mounts of the node for some milliseconds while its runtime creates it: `stop` checks this often, with this period. */
const [checks, checkPeriodMs] = [10, 100];

export interface SharedRootOptions {
  /** The agent's root directory. */
  rootDir: string;
  mounter: Mounter;
  /** Default: the system's clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
  /** ID of the machine's boot. Default: the kernel's boot ID. */
  bootId?(): Promise<string>;
  /** As {@link undoRShared}. Default: by the mounts of all processes. */
  isSharedElsewhere?(group: number): Promise<boolean>;
}

/**
 * Makes the agent's root directory a shared mount, as a kubelet does: CSI drivers in containers and
 * `mountPropagation` need it. `start` logs a failure and does not reject.
 *
 * A kubelet never removes this mount. `stop` does, also if a killed run created it, but only if there are no mounts below it and no
 * container shares it within a second; otherwise the mount stays for the next run, which then owns it.
 */
export function createSharedRoot(options: SharedRootOptions): Startable {
  const {
    rootDir,
    mounter,
    clock = systemClock,
    logger = silentLogger,
    bootId = kernelBootId,
    isSharedElsewhere = hasMountsOfGroup,
  } = options;
  const note = join(rootDir, noteName);

  async function isOwn(): Promise<boolean> {
    const boot = await readFile(note, 'utf8').catch(() => undefined);
    return mounter.canMount && boot !== undefined && boot === (await bootId()) && (await isBoundOntoItself(mounter, rootDir));
  }

  async function staysShared(group: number): Promise<boolean> {
    for (let check = 1; await isSharedElsewhere(group); check++) {
      if (check === checks) return true;
      await clock.sleep(checkPeriodMs);
    }
    return false;
  }

  return {
    async start(signal) {
      try {
        await mkdir(rootDir, { recursive: true, mode: 0o750 });
        await makeRShared(mounter, rootDir, {
          signal,
          // Written first: a run that is killed in between leaves the file without a mount, not a mount without an owner.
          beforeBind: async () => replaceFile(note, await bootId()),
        });
      } catch (error) {
        logger.warn(
          { path: rootDir, err: error },
          'could not make the root directory a shared mount, mounts do not propagate between the node and containers',
        );
      }
    },
    async stop() {
      try {
        if (!(await isOwn())) return;
        if (await undoRShared(mounter, rootDir, staysShared)) await rm(note, { force: true });
        else logger.debug({ path: rootDir }, 'keeping the shared mount for the next run: pods still use it');
      } catch (error) {
        logger.warn({ path: rootDir, err: error }, 'could not unmount the shared mount of the root directory');
      }
    },
  };
}

const kernelBootId = async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
