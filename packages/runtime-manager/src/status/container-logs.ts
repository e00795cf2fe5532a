import type { PodIdentity } from '@nodeagent/api';
import type { ContainerStatus } from '@nodeagent/cri-api';
import { identityFromLabels, labels } from '../config/labels.js';

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
