import { isPathBelow } from '@nodeagent/api/helpers';
import { legacyLogSymlink } from '../config/log-paths.js';
import { isNotFound } from '../cri/call-errors.js';
import type { RuntimeContext } from '../runtime-context.js';
import { containerLogs } from '../status/container-logs.js';
import { notifyContainerStopped } from './notify-container-stopped.js';

/**
 * Removes a stopped container and, unless `keepLogs`, its logs: the current one, rotated ones and the legacy link. Rejects if a log
 * cannot be removed: the next attempt removes both. Succeeds if the container is missing.
 *
 * The pod worker, the clean-up after a container died and garbage collection remove containers independently, and runtimes refuse a
 * second removal while the first runs. So a second call while a removal runs gets the outcome of the first. If that one keeps the
 * logs, they are removed with the pod's log folder.
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
  await notifyContainerStopped(context, containerId);
  try {
    if (!keepLogs) await removeLogs(context, containerId);
    await context.cri.removeContainer({ containerId });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  context.logs.delete(containerId);
}

/** Removes the logs of a container: the current one, rotated ones and the legacy link. Asks the runtime where they are if it is not known. */
async function removeLogs(context: RuntimeContext, containerId: string): Promise<void> {
  const { cri, files, legacyLogsDir, logs, logger } = context;
  const { status } = logs.has(containerId) ? {} : await cri.containerStatus({ containerId });
  const found = status ? containerLogs(status) : logs.get(containerId);
  if (found === undefined) return;
  const { path, pod, containerName } = found;
  if (path && !isPathBelow(path, context.options.podLogsDir)) {
    logger.warn({ containerID: containerId, path }, 'the log of the container is not in the folder of logs, keeping it');
  } else if (path) {
    const slash = path.lastIndexOf('/');
    const [folder, file] = [path.slice(0, slash), path.slice(slash + 1)];
    for (const name of await files.list(folder)) if (name.startsWith(file)) await files.remove(`${folder}/${name}`);
  }
  const link = containerName && legacyLogSymlink(legacyLogsDir, pod, containerName, containerId);
  if (link) await files.remove(link);
}

/** As {@link removeContainer}, but never rejects: a failure is logged, and the next round retries. */
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
