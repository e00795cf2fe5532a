import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOptionNames, type Logger, type Mounter, type OptionNames, replaceFile, type Startable, silentLogger } from '@nodeagent/api';
import { isBoundOntoItself, makeRShared, undoRShared } from './make-rshared.js';

/** File in the root directory with the ID of the boot in which an agent bound the directory onto itself. An administrator's bind mount has no such file. */
const noteName = 'bound-onto-itself';

export interface SharedRootOptions {
  /** The agent's root directory. */
  rootDir: string;
  mounter: Mounter;
  /** Default: silent. */
  logger?: Logger;
  /** ID of the machine's boot. Default: the kernel's boot ID. */
  bootId?(): Promise<string>;
  /** As {@link undoRShared}. Default: by the mounts of all processes. */
  isSharedElsewhere?(group: number): Promise<boolean>;
}

const optionNames: OptionNames<SharedRootOptions> = { rootDir: true, mounter: true, logger: true, bootId: true, isSharedElsewhere: true };

/**
 * Makes the agent's root directory a shared mount, as a kubelet does: CSI drivers in containers and
 * `mountPropagation` need it. `start` logs a failure and does not reject.
 *
 * A kubelet never removes this mount. `stop` does, also if a killed run created it, but only if there are no mounts below it and no
 * container shares it; otherwise the mount stays for the next run, which then owns it.
 */
export function createSharedRoot(options: SharedRootOptions): Startable {
  checkOptionNames('createSharedRoot', options, optionNames);
  const { rootDir, mounter, logger = silentLogger, bootId = kernelBootId, isSharedElsewhere } = options;
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
        if (await undoRShared(mounter, rootDir, isSharedElsewhere)) await rm(note, { force: true });
        else logger.debug({ path: rootDir }, 'keeping the shared mount for the next run: pods still use it');
      } catch (error) {
        logger.warn({ path: rootDir, err: error }, 'could not unmount the shared mount of the root directory');
      }
    },
  };
}

const kernelBootId = async () => (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
