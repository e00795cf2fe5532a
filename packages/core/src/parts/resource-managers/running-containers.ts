import type { Logger } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';

/** A container that ran when the agent started. */
export interface RunningContainer {
  containerId: string;
  podUID: string;
  containerName: string;
}

/** The running containers of all pods. Empty, as in the kubelet, if the runtime does not respond. */
export async function readRunningContainers(
  runtime: Pick<RuntimeService, 'listContainers'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<RunningContainer[]> {
  try {
    const { containers } = await runtime.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } }, { signal });
    return containers.map(({ id, labels = {} }) => ({
      containerId: id,
      podUID: labels['io.kubernetes.pod.uid'] ?? '',
      containerName: labels['io.kubernetes.container.name'] ?? '',
    }));
  } catch (error) {
    logger.warn({ err: error }, 'cannot list the running containers: the resource managers start without them');
    return [];
  }
}
