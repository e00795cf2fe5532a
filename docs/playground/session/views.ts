import type { Node, Pod } from '@nodeagent/api';
import {
  createPodModels,
  type NodeModel,
  nodeModel,
  type PodModel,
  type Workload,
  type WorkloadModel,
  workloadModel,
} from '@nodeagent/pod-view/cluster';
import type { TestCluster } from '@nodeagent/test-cluster';

/** What the page shows of a cluster at a time. */
export interface ClusterModel {
  nodes: NodeModel[];
  pods: PodModel[];
  workloads: WorkloadModel[];
}

/** Reads the models of a cluster; an object that has not changed keeps its model. */
export class ClusterReader {
  #revision = -1;
  #model: ClusterModel = { nodes: [], pods: [], workloads: [] };
  readonly #podModels = createPodModels();

  read(cluster: TestCluster): ClusterModel {
    const { server } = cluster;
    const objects = new Map(server.objects.read<Node>('nodes').map((object) => [object.metadata?.name, object]));
    const nodes = cluster.nodes.map(({ name, isUp, isPartitioned }) => nodeModel({ name, object: objects.get(name), isUp, isPartitioned }));
    if (server.revision === this.#revision) return { ...this.#model, nodes };
    this.#revision = server.revision;
    this.#model = { nodes, pods: this.#podModels(server.objects.read<Pod>('pods'), cluster.clock.now()), workloads: workloadsOf(cluster) };
    return this.#model;
  }
}

function workloadsOf({ server }: TestCluster): WorkloadModel[] {
  return ['deployments', 'statefulsets', 'daemonsets', 'jobs'].flatMap((resource) =>
    server.objects.read<Workload>(resource).map(workloadModel),
  );
}
