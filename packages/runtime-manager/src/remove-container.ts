import { containerStopped } from './container-stopped.js';
import { isNotFound } from './cri-calls.js';
import { identityFromLabels, labels } from './labels.js';
import { legacyLogSymlink } from './log-paths.js';
import type { RuntimeContext } from './runtime-context.js';

/**
 * Removes a container that has stopped and, unless `keepLogs`, its logs: the current one, rotated ones and the link in the older
 * layout. Rejects if logs cannot be removed, so that they are tried again with the container. A container that is gone is fine.
 *
 * The pod's worker, the clean-up after a container's death and garbage collection remove independently of each other, and runtimes
 * refuse a second removal while the first runs: whoever asks meanwhile gets the outcome of the first. Logs that the first one keeps
 * are removed with the pod's log folder.
 */
export function removeContainer(context: RuntimeContext, containerId: string, { keepLogs = false } = {}): Promise<void> {
  const { removals } = context;
  const inFlight = removals.get(containerId);
  if (inFlight) return inFlight;
  const removal = removeStopped(context, containerId, keepLogs).finally(() => removals.delete(containerId));
  removals.set(containerId, removal);
  return removal;
}

async function removeStopped(context: RuntimeContext, containerId: string, keepLogs: boolean): Promise<void> {
  await containerStopped(context, containerId);
  try {
    if (!keepLogs) await removeLogs(context, containerId);
    await context.cri.removeContainer({ containerId });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

async function removeLogs({ cri, files, legacyLogsDir }: RuntimeContext, containerId: string): Promise<void> {
  const { status } = await cri.containerStatus({ containerId });
  if (!status) return;
  const { logPath } = status;
  if (logPath) {
    const slash = logPath.lastIndexOf('/');
    const [folder, file] = [logPath.slice(0, slash), logPath.slice(slash + 1)];
    for (const name of await files.list(folder)) if (name.startsWith(file)) await files.remove(`${folder}/${name}`);
  }
  const name = status.labels[labels.containerName];
  if (name) await files.remove(legacyLogSymlink(legacyLogsDir, identityFromLabels(status.labels), name, containerId));
}

/** As {@link removeContainer}, for clean-up that must not hold up anything: a failure is logged, and the next round tries again. */
export async function tryRemoveContainer(
  context: RuntimeContext,
  containerId: string,
  why: string,
  options: { keepLogs?: boolean } = {},
): Promise<boolean> {
  try {
    await removeContainer(context, containerId, options);
    context.logger.debug({ containerID: containerId, why }, 'removed container');
    return true;
  } catch (error) {
    context.logger.warn({ containerID: containerId, why, err: error }, 'cannot remove container');
    return false;
  }
}
