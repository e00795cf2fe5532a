import type { Pod } from '@nodeagent/api';
import { type PodDetailsModel, podDetails } from '@nodeagent/pod-view/cluster';
import type { TestCluster } from '@nodeagent/test-cluster';

const maxLogLines = 5;

/** The details of a pod; undefined for one that does not exist. */
export function readPodDetails(
  cluster: TestCluster,
  { namespace, name }: { namespace: string; name: string },
): PodDetailsModel | undefined {
  const pod = cluster.pod(name, namespace);
  if (pod === undefined) return undefined;
  const events = cluster.server.objects.list('events', { namespace, fieldSelector: `involvedObject.name=${name}` });
  return podDetails(pod, { now: cluster.clock.now(), events, logs: (container) => logsOf(cluster, pod, container) });
}

function logsOf(cluster: TestCluster, { metadata, spec }: Pod, container: string): string[] {
  const node = cluster.nodes.find(({ name }) => name === spec?.nodeName);
  const last = node?.runtime
    .containers(container)
    .filter(({ pod, namespace }) => pod === metadata?.name && namespace === metadata?.namespace)
    .at(-1);
  return last && node ? node.runtime.logs(last.id).slice(-maxLogLines) : [];
}
