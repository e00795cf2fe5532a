import { type AnyObject, apiVersionOf, type Cluster, pathOf, type Request, succeed } from './cluster.js';
import { type Kubelet, readinessChange, timeText } from './kubelet.js';
import type { Observed, Observer } from './observer.js';

/** What users do with a cluster, step by step. */
export interface Scenario {
  /** Also its namespace, and the first part of the names of its objects without a namespace. */
  name: string;
  /** Pods are not bound to certain nodes: the names of their nodes are compared. */
  hasFixedNodes?: true;
  /** Messages count all nodes: nothing else runs in the cluster. */
  isExclusive?: true;
  act(context: ScenarioContext): Promise<void>;
}

/** An object without what follows from its kind and the scenario. */
export type ObjectInput = { kind: string; metadata: { name?: string; [field: string]: unknown }; [field: string]: unknown };

interface PatchOptions {
  subresource?: string;
  namespace?: string;
}

/** A step of a scenario, for the record. */
export interface Step {
  name: string;
  /** Failed requests: their code and message. */
  answers: string[];
}

/** Parts of {@link ScenarioContext}. */
export interface ScenarioPorts {
  cluster: Cluster;
  observer: Observer;
  kubelet: Kubelet;
  /** Called at the end of each step. */
  onStep(step: Step): void;
}

/** What a scenario acts with. Refused requests are recorded. */
export class ScenarioContext {
  readonly namespace: string;
  readonly #ports: ScenarioPorts;
  readonly #leases: string[] = [];
  #answers: string[] = [];
  isOver = false;

  constructor(namespace: string, ports: ScenarioPorts) {
    this.namespace = namespace;
    this.#ports = ports;
  }

  create(object: ObjectInput, namespace = this.namespace): Promise<void> {
    const body = { apiVersion: apiVersionOf(object.kind), ...object };
    return this.#send({ method: 'POST', path: pathOf(object.kind, namespace), body });
  }

  async createAll(...objects: ObjectInput[]): Promise<void> {
    for (const object of objects) await this.create(object);
  }

  patch(kind: string, name: string, body: object, { subresource, namespace = this.namespace }: PatchOptions = {}): Promise<void> {
    return this.#send({ method: 'PATCH', path: pathOf(kind, namespace, name, subresource), body });
  }

  scale(kind: string, name: string, replicas: number): Promise<void> {
    return this.patch(kind, name, { spec: { replicas } });
  }

  /** Changes the image of the template's container. */
  setImage(kind: string, name: string, image: string): Promise<void> {
    return this.patch(kind, name, { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } });
  }

  delete(kind: string, name: string, options: { propagationPolicy?: string; gracePeriodSeconds?: number } = {}): Promise<void> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...options };
    return this.#send({ method: 'DELETE', path: pathOf(kind, this.namespace, name), body });
  }

  evict(name: string): Promise<void> {
    const metadata = { name, namespace: this.namespace };
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata };
    return this.#send({ method: 'POST', path: pathOf('Pod', this.namespace, name, 'eviction'), body });
  }

  /** The objects of a kind that exist, in the order of their creation. */
  all(kind: string): AnyObject[] {
    const isPresent = ({ object, deletedAt }: Observed) => object.kind === kind && deletedAt === undefined;
    return this.#ports.observer
      .of(this.namespace)
      .filter(isPresent)
      .map(({ object }) => object);
  }

  /** The pods with a label, in the order of their creation. */
  pods(labels: Record<string, string> = {}): AnyObject[] {
    const entries = Object.entries(labels);
    return this.all('Pod').filter(({ metadata }) => entries.every(([key, value]) => metadata.labels?.[key] === value));
  }

  async setReady(pod: AnyObject, isReady: boolean): Promise<void> {
    const path = pathOf('Pod', this.namespace, pod.metadata.name, 'status');
    const body = { status: readinessChange(pod, isReady, this.#ports.cluster.now()) };
    await succeed(this.#ports.cluster, { method: 'PATCH', path, body, contentType: 'application/strategic-merge-patch+json' });
  }

  /** Adds a ready node; its name is that of the scenario and a suffix. It has the label `pool`, and renews its lease. */
  async addNode(suffix: string, { labels = {}, taints = [], allocatable = {} }: NodeOptions = {}): Promise<string> {
    const name = `${this.namespace}-${suffix}`;
    const { cluster } = this.#ports;
    const metadata = { name, labels: { 'kubernetes.io/hostname': name, pool: this.namespace, ...labels } };
    await this.create({ kind: 'Node', metadata, spec: { taints } });
    await succeed(cluster, {
      method: 'PATCH',
      path: pathOf('Node', undefined, name, 'status'),
      body: { status: nodeStatus(allocatable, cluster.now()) },
    });
    this.#leases.push(name);
    await this.#renew(name, true);
    // The taint of a new node is removed.
    await this.sleep(1);
    return name;
  }

  /** The node's kubelet ends. */
  killNode(name: string): void {
    this.#ports.kubelet.kill(name);
    this.#leases.splice(this.#leases.indexOf(name), 1);
  }

  /** Renews the leases of the scenario's nodes until it is over. */
  async renewLeases(): Promise<void> {
    while (!this.isOver) {
      await this.#ports.cluster.sleep(10_000);
      for (const name of this.#leases) await this.#renew(name, false);
    }
  }

  /** Ends a step: waits, and records the objects. */
  async step(name: string, seconds: number): Promise<void> {
    await this.sleep(seconds);
    this.#ports.onStep({ name, answers: this.#answers });
    this.#answers = [];
  }

  sleep(seconds: number): Promise<void> {
    return this.#ports.cluster.sleep(seconds * 1_000);
  }

  async #renew(name: string, isNew: boolean): Promise<void> {
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: `${timeText(this.#ports.cluster.now()).slice(0, -1)}.000000Z`,
    };
    const namespace = 'kube-node-lease';
    const lease: Request = isNew
      ? {
          method: 'POST',
          path: pathOf('Lease', namespace),
          body: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec },
        }
      : { method: 'PATCH', path: pathOf('Lease', namespace, name), body: { spec } };
    await this.#ports.cluster.request(lease);
  }

  async #send(request: Request): Promise<void> {
    const { code, body } = await this.#ports.cluster.request(request);
    if (code >= 300) this.#answers.push(`${code} ${body?.message}`);
  }
}

/** Options of {@link ScenarioContext.addNode}. */
export interface NodeOptions {
  labels?: Record<string, string>;
  taints?: { key: string; value?: string; effect: string }[];
  /** Default: 4 CPUs, 8 GiB, 110 pods. */
  allocatable?: Record<string, string>;
}

function nodeStatus(allocatable: Record<string, string>, now: number) {
  const resources = { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi', ...allocatable };
  const time = timeText(now);
  const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' };
  return {
    capacity: resources,
    allocatable: resources,
    conditions: [{ ...condition, lastHeartbeatTime: time, lastTransitionTime: time }],
  };
}
