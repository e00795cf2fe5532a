import type { ContainerStatus, Pod } from '@nodeagent/api';
import { explainPod } from '@nodeagent/pod-view';
import type { TestCluster } from '@nodeagent/test-cluster';

/** What the page shows of the selected pod. */
export interface PodDetails {
  namespace: string;
  name: string;
  /** Why the pod is in its state and what happens next, then the messages of its conditions. */
  reasons: string[];
  containers: { name: string; image: string; state: string; restarts: number; logs: string[] }[];
}

const maxLogLines = 5;

/** The details of a pod; undefined for one that does not exist. */
export function podDetails(cluster: TestCluster, { namespace, name }: { namespace: string; name: string }): PodDetails | undefined {
  const pod = cluster.pod(name, namespace);
  if (pod === undefined) return undefined;
  const { spec, status } = pod;
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return {
    namespace,
    name,
    reasons: reasonsOf(cluster, pod),
    containers: [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((container) => {
      const own = statuses.find((each) => each.name === container.name);
      return {
        name: container.name,
        image: container.image ?? '',
        state: stateText(own),
        restarts: own?.restartCount ?? 0,
        logs: logsOf(cluster, pod, container.name),
      };
    }),
  };
}

/** Why it is in its state and what comes next, and the messages of its conditions. */
function reasonsOf(cluster: TestCluster, pod: Pod): string[] {
  const { namespace = 'default', name = '' } = pod.metadata ?? {};
  const events = cluster.server.objects.list('events', { namespace, fieldSelector: `involvedObject.name=${name}` });
  const { sentence } = explainPod(pod, { now: cluster.clock.now(), events });
  const conditions = (pod.status?.conditions ?? []).filter(({ message }) => message);
  return [sentence, ...conditions.map(({ type, reason, message }) => `${type}: ${reason}: ${message}`)];
}

function stateText(status: ContainerStatus | undefined): string {
  const { waiting, running, terminated } = status?.state ?? {};
  if (running) return status?.ready ? 'running, ready' : 'running, not ready';
  if (terminated) return `exited with ${terminated.exitCode} (${terminated.reason ?? 'no reason'})`;
  if (waiting) return `waits: ${[waiting.reason, waiting.message].filter(Boolean).join(': ')}`;
  return 'not created';
}

function logsOf(cluster: TestCluster, { metadata, spec }: Pod, container: string): string[] {
  const node = cluster.nodes.find(({ name }) => name === spec?.nodeName);
  const last = node?.runtime
    .containers(container)
    .filter(({ pod, namespace }) => pod === metadata?.name && namespace === metadata?.namespace)
    .at(-1);
  return last && node ? node.runtime.logs(last.id).slice(-maxLogLines) : [];
}
