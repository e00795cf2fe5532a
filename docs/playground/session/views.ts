import type { Node, Pod } from '@nodeagent/api';
import { explainPod, type PodStateExplanation, podColumns } from '@nodeagent/pod-view';
import type { TestCluster } from '@nodeagent/test-cluster';

/** How a pod or a node does, for its colour and its words. */
type Level = 'good' | 'waiting' | 'bad' | 'done';

export interface NodeModel {
  name: string;
  level: Level;
  /** `Ready`, `NotReady`, `Unknown`, with pressures and what the user did: `Ready, MemoryPressure`. */
  status: string;
  isUp: boolean;
  isPartitioned: boolean;
}

export interface PodModel {
  /** UID. */
  id: string;
  namespace: string;
  name: string;
  /** Empty before it is scheduled. */
  node: string;
  level: Level;
  /** READY, STATUS and RESTARTS as kubectl prints them. */
  ready: string;
  status: string;
  restarts: number;
  /** Names of its containers, init containers first. */
  containers: string[];
}

/** A workload, such as `Deployment web`, and its ready and desired pods. */
export interface WorkloadModel {
  id: string;
  kind: string;
  namespace: string;
  name: string;
  ready: number;
  desired: number;
}

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
  #pods = new Map<string, { version: string | undefined; model: PodModel }>();

  read(cluster: TestCluster): ClusterModel {
    const { server } = cluster;
    const objects = new Map(server.objects.read<Node>('nodes').map((object) => [object.metadata?.name, object]));
    const nodes = cluster.nodes.map((node) => nodeModel(objects.get(node.name), node));
    if (server.revision === this.#revision) return { ...this.#model, nodes };
    this.#revision = server.revision;
    this.#model = { nodes, pods: this.#readPods(cluster), workloads: workloadsOf(cluster) };
    return this.#model;
  }

  #readPods(cluster: TestCluster): PodModel[] {
    const known = this.#pods;
    this.#pods = new Map();
    const now = cluster.clock.now();
    for (const pod of cluster.server.objects.read<Pod>('pods')) {
      const { uid = '', resourceVersion: version } = pod.metadata ?? {};
      const before = known.get(uid);
      this.#pods.set(uid, before?.version === version && before ? before : { version, model: podModel(pod, now) });
    }
    return [...this.#pods.values()].map(({ model }) => model);
  }
}

function nodeModel(
  object: Node | undefined,
  { name, isUp, isPartitioned }: { name: string; isUp: boolean; isPartitioned: boolean },
): NodeModel {
  const conditions = object?.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready')?.status;
  const pressures = conditions.filter(({ type, status }) => type.endsWith('Pressure') && status === 'True').map(({ type }) => type);
  const state = object === undefined ? 'deleted' : ready === 'True' ? 'Ready' : ready === 'False' ? 'NotReady' : 'Unknown';
  const done = [
    ...(isUp ? [] : ['agent down']),
    ...(isPartitioned ? ['partitioned'] : []),
    ...(object?.spec?.unschedulable ? ['cordoned'] : []),
  ];
  const isGood = ready === 'True' && isUp && !isPartitioned;
  const level: Level = !isGood ? 'bad' : pressures.length > 0 ? 'waiting' : 'good';
  return { name, level, status: [state, ...pressures, ...done].join(', '), isUp, isPartitioned };
}

function podModel(pod: Pod, now: number): PodModel {
  const { metadata, spec, status } = pod;
  const columns = podColumns(pod, now);
  return {
    id: metadata?.uid ?? '',
    namespace: metadata?.namespace ?? '',
    name: columns.name,
    node: spec?.nodeName ?? '',
    level: levels[explainPod(pod, { now }).severity],
    ready: columns.ready,
    status: columns.status,
    restarts: (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
    containers: [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => name),
  };
}

const levels: Readonly<Record<PodStateExplanation['severity'], Level>> = {
  ok: 'good',
  busy: 'waiting',
  warning: 'waiting',
  error: 'bad',
  done: 'done',
};

interface Workload {
  kind?: string;
  metadata?: { uid?: string; namespace?: string; name?: string };
  spec?: { replicas?: number; completions?: number };
  status?: { readyReplicas?: number; numberReady?: number; desiredNumberScheduled?: number; succeeded?: number };
}

function workloadsOf({ server }: TestCluster): WorkloadModel[] {
  return ['deployments', 'statefulsets', 'daemonsets', 'jobs'].flatMap((resource) =>
    server.objects.read<Workload>(resource).map(({ kind = '', metadata, spec, status }) => ({
      id: metadata?.uid ?? '',
      kind,
      namespace: metadata?.namespace ?? '',
      name: metadata?.name ?? '',
      ready: status?.readyReplicas ?? status?.numberReady ?? status?.succeeded ?? 0,
      desired: status?.desiredNumberScheduled ?? spec?.replicas ?? spec?.completions ?? 1,
    })),
  );
}
