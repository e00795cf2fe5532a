import type { Node, PersistentVolumeClaim, Pod } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { ControllerRevision, CronJob, DaemonSet, Deployment, Job, ReplicaSet, StatefulSet, Write } from './objects.js';

type Kept = Write['object'];

/** Objects in a map, changed by the writes of controllers as in the API server, with a kubelet whose pods are ready at once. */
export class TestObjects {
  now = Date.parse('2026-01-01T00:00:00Z');
  readonly objects = new Map<string, Kept>();
  nodes: Node[] = [];
  #names = 0;

  #all<T>(kind: string): T[] {
    return [...this.objects.values()].filter((object) => object.kind === kind) as T[];
  }
  get pods(): Pod[] {
    return this.#all<Pod>('Pod');
  }
  get replicaSets(): ReplicaSet[] {
    return this.#all<ReplicaSet>('ReplicaSet');
  }
  get deployment(): Deployment {
    return this.#all<Deployment>('Deployment')[0] as Deployment;
  }
  get daemonSet(): DaemonSet {
    return this.#all<DaemonSet>('DaemonSet')[0] as DaemonSet;
  }
  get statefulSet(): StatefulSet {
    return this.#all<StatefulSet>('StatefulSet')[0] as StatefulSet;
  }
  get revisions(): ControllerRevision[] {
    return this.#all<ControllerRevision>('ControllerRevision');
  }
  /** Names of the claims. */
  get claims(): Set<string> {
    return new Set(this.claimObjects.map(({ metadata }) => metadata?.name ?? ''));
  }
  get claimObjects(): PersistentVolumeClaim[] {
    return this.#all('PersistentVolumeClaim');
  }
  get cronJob(): CronJob {
    return this.#all<CronJob>('CronJob')[0] as CronJob;
  }
  get jobs(): Job[] {
    return this.#all<Job>('Job');
  }
  get job(): Job {
    return this.#all<Job>('Job')[0] as Job;
  }

  put(object: Kept): void {
    this.objects.set(`${object.kind}/${object.metadata?.name}`, object);
  }

  /** Returns the number of writes. */
  write(writes: readonly Write[]): number {
    for (const { verb, object } of writes) {
      if (verb === 'delete') this.objects.delete(`${object.kind}/${object.metadata?.name}`);
      else if (verb === 'create') this.#create(object);
      else this.put(object);
    }
    return writes.length;
  }

  #create(object: Kept): void {
    this.#names += 1;
    const name = object.metadata?.name ?? `${object.metadata?.generateName}${this.#names}`;
    const metadata = { ...object.metadata, name, uid: `uid-${this.#names}`, generation: 1, creationTimestamp: formatTime(this.now) };
    this.put({ ...object, metadata } as Kept);
  }

  /** Makes pods Ready that are neither terminated nor being deleted. */
  runPods(): void {
    for (const pod of this.pods) {
      if (pod.status?.phase === undefined) this.setPod(pod, 'Running');
    }
  }

  setPod(pod: Pod, phase: string): void {
    const time = formatTime(this.now);
    const conditions = [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: time }];
    this.put({
      ...pod,
      spec: { containers: [], ...pod.spec, nodeName: pod.spec?.nodeName || 'n' },
      status: { ...pod.status, phase, conditions },
    });
  }
}
