import { type Clock, type Mounter, NodeAgentError, withDeadline } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';

const timeoutMs = 60_000;

/** The mounter with a time limit for each call: mount(8) and umount(8) wait for a file system that does not answer. */
export function limitedMounter(mounter: Mounter, clock: Pick<Clock, 'setTimeout'>): Mounter {
  const limited = <T>(what: string, signal: AbortSignal | undefined, work: (own: AbortSignal) => Promise<T>) => {
    const error = () =>
      new NodeAgentError(imageStoreErrorCodes.mountTimeout, `${what} did not end within ${timeoutMs / 1_000} s`, { retryable: true });
    return withDeadline({ clock, timeoutMs, error, signal }, work);
  };
  return {
    canMount: mounter.canMount,
    list: () => mounter.list(),
    canRefuseSwap: () => mounter.canRefuseSwap(),
    mount: (request, signal) => limited(`mount ${request.target}`, signal, (own) => mounter.mount(request, own)),
    unmount: (target, signal) => limited(`umount ${target}`, signal, (own) => mounter.unmount(target, own)),
    run: (command, args, signal, cwd) => limited(command, signal, (own) => mounter.run(command, args, own, cwd)),
  };
}
