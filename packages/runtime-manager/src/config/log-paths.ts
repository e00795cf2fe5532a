import type { PodIdentity } from '@nodeagent/api';
import { join } from '@nodeagent/api/helpers';

const logSuffix = '.log';
/** Maximum length of a file name in ext4. */
const maxFileName = 255;
/** Container ids that {@link maxFileName} truncates to fewer characters are ambiguous. */
const minContainerId = 6;

/** The folder of a pod's logs: `<podLogsDir>/<namespace>_<name>_<uid>`. */
export function podLogsDirectory(podLogsDir: string, { namespace, name, uid }: PodIdentity): string {
  return join(podLogsDir, `${namespace}_${name}_${uid}`);
}

/** The folder of one container's logs, a file for each attempt. */
export function containerLogsDirectory(podLogsDir: string, pod: PodIdentity, containerName: string): string {
  return join(podLogsDirectory(podLogsDir, pod), containerName);
}

/** A container's log relative to its pod's folder, for CRI's `log_path`: `<container>/<restartCount>.log`. */
export function containerLogPath(containerName: string, restartCount: number): string {
  return join(containerName, `${restartCount}${logSuffix}`);
}

/** The UID in the name of a pod's log folder. */
export function podUidFromLogsDirectory(name: string): string {
  return name.slice(name.lastIndexOf('_') + 1);
}

/**
 * The path where older log collectors expect a container's log. The id is truncated if the name exceeds {@link maxFileName}. Undefined for an id
 * or name of the runtime that leads out of the folder.
 */
export function legacyLogSymlink(
  legacyLogsDir: string,
  pod: Pick<PodIdentity, 'name' | 'namespace'>,
  container: string,
  id: string,
): string | undefined {
  const name = `${pod.name}_${pod.namespace}_${container}-${id}`;
  if (name.includes('/')) return undefined;
  return join(legacyLogsDir, name.slice(0, maxFileName - logSuffix.length) + logSuffix);
}

/** The container id in a link's name; undefined if it is missing or truncated too much. */
export function containerIdFromLegacyLogSymlink(path: string): string | undefined {
  if (!path.endsWith(logSuffix)) return undefined;
  const id = path.slice(path.lastIndexOf('-') + 1, -logSuffix.length);
  return id.length < minContainerId ? undefined : id;
}

/** `restartCount` of a container's status is an int32. A file with a larger number is no log of the runtime. */
const maxRestartCount = 2 ** 31 - 1;

/** The next restart count when the runtime has no instance of the container: one more than that of the newest log, 0 without logs. */
export function restartCountFromLogs(names: readonly string[]): number {
  let next = 0;
  for (const name of names) {
    const count = Number(/^(\d+)\.log/.exec(name)?.[1]);
    if (count < maxRestartCount) next = Math.max(next, count + 1);
  }
  return next;
}
