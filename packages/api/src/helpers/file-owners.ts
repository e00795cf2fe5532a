import type { SetUpOptions } from '../contracts/volume-plugin.js';
import type { Pod } from '../objects/pod.js';
import { podContainers } from './pod.js';

/** The user that all containers of the pod run as; undefined if they differ or one does not set it. */
export function fsUserOf(pod: Pod): number | undefined {
  const ofPod = pod.spec?.securityContext?.runAsUser;
  const users = new Set(Array.from(podContainers(pod), ({ container }) => container.securityContext?.runAsUser ?? ofPod));
  const [user] = users;
  return users.size === 1 ? user : undefined;
}

/** The ownership options for the files of the pod's volumes. */
export function fileOwners(pod: Pod): Pick<SetUpOptions, 'fsUser' | 'fsGroup' | 'fsGroupChangePolicy'> {
  const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
  const fsUser = fsUserOf(pod);
  return {
    ...(fsUser !== undefined && { fsUser }),
    ...(fsGroup !== undefined && { fsGroup }),
    ...(fsGroupChangePolicy !== undefined && { fsGroupChangePolicy }),
  };
}
