import type { ContainerStatus, Pod } from '@nodeagent/api';
import type { TestCluster } from '@nodeagent/test-cluster';

/** What the page shows of the selected pod. */
export interface PodDetails {
  namespace: string;
  name: string;
  /** Why the pod is in its state, one sentence each. */
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

function reasonsOf(cluster: TestCluster, { metadata, status }: Pod): string[] {
  const conditions = (status?.conditions ?? [])
    .filter(({ message }) => message)
    .map(({ type, reason, message }) => `${type}: ${reason}: ${message}`);
  const finalizers =
    metadata?.deletionTimestamp && metadata.finalizers?.length ? [`It waits for the finalizers ${metadata.finalizers.join(', ')}.`] : [];
  const overall = status?.reason || status?.message ? [`${status.reason ?? ''}: ${status.message ?? ''}`] : [];
  return [...overall, ...finalizers, ...conditions, ...workerReasons(cluster, metadata?.uid ?? '')];
}

/** What the node's agent says about the pod. */
function workerReasons(cluster: TestCluster, uid: string): string[] {
  const explanation = cluster.nodes.find(({ isUp, agent }) => isUp && agent.explain(uid) !== undefined)?.agent.explain(uid);
  return (explanation?.backOffs ?? []).map(
    ({ container, until }) => `${container} restarts in ${Math.max(0, Math.round((until - cluster.clock.now()) / 1000))} s.`,
  );
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
