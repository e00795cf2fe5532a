import type { PodIdentity } from '@nodeagent/api';
import type { ContainerStatus } from '@nodeagent/cri-api';
import { identityFromLabels, labels } from './labels.js';
import { legacyLogSymlink } from './log-paths.js';
import type { RuntimeContext } from './runtime-context.js';

/** Where the logs of a container are. */
export interface ContainerLogs {
  /** The current one; rotated ones are beside it. Empty if the container has none. */
  path: string;
  pod: Pick<PodIdentity, 'name' | 'namespace'>;
  /** Empty for a container without the label: it has no legacy link. */
  containerName: string;
}

export function containerLogs({ logPath, labels: of }: Pick<ContainerStatus, 'logPath' | 'labels'>): ContainerLogs {
  return { path: logPath, pod: identityFromLabels(of), containerName: of[labels.containerName] ?? '' };
}

/** Removes the logs of a container: the current one, rotated ones and the legacy link. Asks the runtime where they are if it is not known. */
export async function removeLogs({ cri, files, legacyLogsDir, logs }: RuntimeContext, containerId: string): Promise<void> {
  const { status } = logs.has(containerId) ? {} : await cri.containerStatus({ containerId });
  const found = status ? containerLogs(status) : logs.get(containerId);
  if (found === undefined) return;
  const { path, pod, containerName } = found;
  if (path) {
    const slash = path.lastIndexOf('/');
    const [folder, file] = [path.slice(0, slash), path.slice(slash + 1)];
    for (const name of await files.list(folder)) if (name.startsWith(file)) await files.remove(`${folder}/${name}`);
  }
  if (containerName) await files.remove(legacyLogSymlink(legacyLogsDir, pod, containerName, containerId));
}
