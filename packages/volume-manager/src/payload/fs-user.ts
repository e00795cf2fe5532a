import { type Pod, podContainers } from '@nodeagent/api';

/** The one user that all containers of the pod run as; undefined if they differ or one leaves it open. */
export function fsUserOf(pod: Pod): number | undefined {
  const ofPod = pod.spec?.securityContext?.runAsUser;
  const users = new Set(Array.from(podContainers(pod), ({ container }) => container.securityContext?.runAsUser ?? ofPod));
  const [user] = users;
  return users.size === 1 ? user : undefined;
}
