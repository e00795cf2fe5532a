import type { Pod, Runtime, StatusManager } from '@nodeagent/api';
import { isStaticPod, podUid } from '@nodeagent/api/helpers';
import type { NodePods, RunningPod } from '../ports.js';

/** The pods as `/pods` serves them: a static pod with the node's own status of it, any other pod as the API server has it. */
export function createNodePods(
  podManager: Required<Pick<NodePods, 'pods' | 'translatePodUid'>>,
  statusManager: Pick<StatusManager, 'getPodStatus'>,
): NodePods {
  const podStatus = (pod: Pod) => statusManager.getPodStatus(podUid(pod)) ?? pod.status;
  const served = (pod: Pod): Pod => {
    const status = isStaticPod(pod) ? podStatus(pod) : undefined;
    return status === undefined ? pod : { ...pod, status };
  };
  return { pods: () => podManager.pods().map(served), podStatus, translatePodUid: podManager.translatePodUid };
}

/** The pods that run now, as the runtime lists them: `/runningpods/`. */
export async function listRunningPods(runtime: Pick<Runtime, 'getPods'>, signal: AbortSignal): Promise<RunningPod[]> {
  return (await runtime.getPods(false, signal)).map(({ uid, name, namespace, containers }) => ({
    uid,
    name,
    namespace,
    containers: containers.map(({ name, image }) => ({ name, image })),
  }));
}
