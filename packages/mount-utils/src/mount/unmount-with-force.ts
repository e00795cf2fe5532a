import { abandonAtDeadline, type Clock, type Logger, type Mounter } from '@nodeagent/api';
import { mountFailed } from './node-mounter.js';

const timeoutMs = 60_000;
const maxForced = 5;
const retryMs = 1_000;

interface Waiting {
  clock: Pick<Clock, 'setTimeout' | 'sleep'>;
  logger: Logger;
  signal: AbortSignal;
}

/** Unmounts a target, by force if that takes more than a minute: an unmount waits for a server that is lost, a forced one does not. */
export async function unmountWithForce(mounter: Mounter, target: string, waiting: Waiting): Promise<void> {
  const { clock, logger, signal } = waiting;
  let isLate = false;
  const error = () => {
    isLate = true;
    return new Error(`umount ${target} did not end within ${timeoutMs / 1_000} s`);
  };
  try {
    await abandonAtDeadline({ clock, timeoutMs, signal, error }, (own) => mounter.unmount(target, own));
  } catch (reason) {
    if (!isLate) throw reason;
    logger.warn({ path: target, err: reason }, 'the unmount is forced');
    await force(mounter, target, waiting);
  }
}

/** Repeats the call: processes that waited for the server, such as the first umount, keep the mount busy until the kernel has ended them. */
async function force(mounter: Mounter, target: string, { clock, signal }: Waiting): Promise<void> {
  for (let left = maxForced - 1; ; left--) {
    const result = await mounter.run('umount', ['-f', target], signal);
    if (result.exitCode === 0) return;
    if (left === 0) throw mountFailed(`umount -f ${target}`, result);
    await clock.sleep(retryMs, signal);
  }
}
