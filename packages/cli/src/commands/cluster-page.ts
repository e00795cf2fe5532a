import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCode, errorMessage, type Node, NodeAgentError, type Pod } from '@nodeagent/api';
import type { ClusterPageSource } from '@nodeagent/node-page/cluster';
import type { Workload } from '@nodeagent/pod-view/cluster';
import type { TestCluster } from '@nodeagent/test-cluster';

/** The page of a simulated cluster on a port of the loopback interface. */
export interface ServedClusterPage {
  url: string;
  close(): void;
}

const workloads = ['deployments', 'statefulsets', 'daemonsets', 'jobs'];

/** Serves the page of `--ui`. Rejects with `CANNOT_LISTEN`. */
export async function serveClusterPage(cluster: TestCluster, { speed, port }: { speed: number; port: number }): Promise<ServedClusterPage> {
  // Loaded lazily: without --ui nothing of it is in memory.
  const { createClusterPage } = await import('@nodeagent/node-page/cluster');
  const page = createClusterPage({ source: pageSource(cluster), speed });
  const server = createServer(page.handle).listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    page.stop();
    const why = errorCode(error) === 'EADDRINUSE' ? 'the port is in use' : errorMessage(error);
    throw new NodeAgentError('CANNOT_LISTEN', `--ui-port: the page cannot listen on 127.0.0.1:${port}: ${why}`, {
      hint: 'set --ui-port to another port, or leave it out for any free one',
      cause: error,
    });
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      page.stop();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A cluster as the page reads it. */
function pageSource({ clock, server, nodes, pod }: TestCluster): ClusterPageSource {
  const { objects } = server;
  return {
    now: () => clock.now(),
    nodes() {
      const byName = new Map(objects.read<Node>('nodes').map((object) => [object.metadata?.name, object]));
      return nodes.map(({ name, isUp, isPartitioned }) => ({ name, object: byName.get(name), isUp, isPartitioned }));
    },
    pods: () => objects.read<Pod>('pods'),
    workloads: () => workloads.flatMap((resource) => objects.read<Workload>(resource)),
    pod,
    events: (name, namespace) => objects.list('events', { namespace, fieldSelector: `involvedObject.name=${name}` }),
    logs({ metadata, spec }, container) {
      const runtime = nodes.find(({ name }) => name === spec?.nodeName)?.runtime;
      const last = runtime
        ?.containers(container)
        .filter((each) => each.pod === metadata?.name && each.namespace === metadata?.namespace)
        .at(-1);
      return last && runtime ? runtime.logs(last.id) : [];
    },
    watch: (listener) => objects.watch(listener),
  };
}
