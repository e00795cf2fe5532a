import { abandonAtDeadline, type Clock, type Logger, type Mounter } from '@nodeagent/api';
import { mountFailed } from './node-mounter.js';

const timeoutMs = 60_000;

interface Waiting {
  clock: Pick<Clock, 'setTimeout'>;
  logger: Logger;
  signal: AbortSignal;
}

/** Unmounts a target, by force if that takes more than a minute: an unmount waits for a server that is lost, a forced one does not. */
export async function unmountWithForce(mounter: Mounter, target: string, { clock, logger, signal }: Waiting): Promise<void> {
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
    const result = await mounter.run('umount', ['-f', target], signal);
    if (result.exitCode !== 0) throw mountFailed(`umount -f ${target}`, result);
  }
}
