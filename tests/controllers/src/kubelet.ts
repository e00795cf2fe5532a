import { type AnyObject, type Cluster, pathOf } from './cluster.js';
import type { Observer } from './observer.js';

/** The annotation by which a pod sets what its container does, see {@link behaviourOf}. */
export const runAnnotation = 'scenario/run';

const startMs = 1_000;
const stopMs = 1_000;

interface Behaviour {
  /** `pending`: never starts; `unready`: is never ready. */
  state: 'run' | 'pending' | 'unready';
  exit?: { code: number; afterMs: number };
}

/**
 * What the n-th pod of an owner does, and of an index if it has one. `scenario/run` is a list such as `exit=1@2;run`: the first pod exits with
 * the code 1 after two seconds, all later ones run. The annotation `scenario/run.3` is for the index 3.
 */
function behaviourOf(pod: AnyObject, n: number): Behaviour {
  const { annotations = {} } = pod.metadata;
  const texts = (annotations[`${runAnnotation}.${indexOf(pod)}`] ?? annotations[runAnnotation] ?? 'run').split(';');
  const text = texts[Math.min(n, texts.length - 1)] ?? 'run';
  const [, code, after] = /^exit=(\d+)@(\d+)$/.exec(text) ?? [];
  if (code !== undefined) return { state: 'run', exit: { code: Number(code), afterMs: Number(after) * 1_000 } };
  return { state: text as Behaviour['state'] };
}

const indexOf = ({ metadata: { labels = {} } }: AnyObject): string | undefined =>
  labels['batch.kubernetes.io/job-completion-index'] ?? labels['apps.kubernetes.io/pod-index'];

/**
 * The kubelets of all nodes, by a fixed rule: a bound pod is Running and ready a second later, unless an annotation sets something else; a pod that
 * is being deleted has terminated another second later, and is removed.
 */
export class Kubelet {
  readonly #cluster: Cluster;
  readonly #started = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #deadNodes = new Set<string>();
  #addresses = 0;

  constructor(cluster: Cluster, observer: Observer) {
    this.#cluster = cluster;
    observer.onPod((pod) => this.#see(pod));
  }

  /** The node's pods do not change any more. */
  kill(node: string): void {
    this.#deadNodes.add(node);
  }

  #see(pod: AnyObject): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (!pod.spec.nodeName || this.#deadNodes.has(pod.spec.nodeName)) return;
    if (deletionTimestamp && !this.#stopped.has(uid)) {
      this.#stopped.add(uid);
      void this.#stop(pod);
    } else if (!deletionTimestamp && !this.#started.has(uid)) {
      this.#started.add(uid);
      void this.#start(pod);
    }
  }

  async #start(pod: AnyObject): Promise<void> {
    const owner = `${pod.metadata.ownerReferences?.[0]?.uid ?? pod.metadata.uid} ${indexOf(pod) ?? ''}`;
    const n = this.#counts.get(owner) ?? 0;
    this.#counts.set(owner, n + 1);
    const { state, exit } = behaviourOf(pod, n);
    if (state === 'pending') return;
    const podIP = `10.9.${this.#addresses >> 8}.${this.#addresses++ & 255}`;
    const startedAt = this.#time(startMs);
    await this.#cluster.sleep(startMs);
    await this.#write(pod, { ...runningStatus(pod, startedAt, state === 'run'), podIP, podIPs: [{ ip: podIP }] });
    if (exit === undefined) return;
    await this.#cluster.sleep(exit.afterMs);
    await this.#write(pod, terminatedStatus(pod, { startedAt, finishedAt: this.#time(), exitCode: exit.code }));
  }

  async #stop(pod: AnyObject): Promise<void> {
    await this.#cluster.sleep(stopMs);
    const { namespace, name } = pod.metadata;
    const { phase, startTime = this.#time() } =
      (await this.#cluster.request({ method: 'GET', path: pathOf('Pod', namespace, name) })).body.status ?? {};
    if (phase === 'Running' || phase === 'Pending') {
      await this.#write(pod, terminatedStatus(pod, { startedAt: startTime, finishedAt: this.#time(), exitCode: 137 }));
    }
    const preconditions = { uid: pod.metadata.uid };
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0, preconditions };
    await this.#cluster.request({ method: 'DELETE', path: pathOf('Pod', namespace, name), body });
  }

  /** The time in some milliseconds, in whole seconds. */
  #time(inMs = 0): string {
    return timeText(this.#cluster.now() + inMs);
  }

  async #write(pod: AnyObject, status: object): Promise<void> {
    if (this.#deadNodes.has(pod.spec.nodeName)) return;
    const { namespace, name, uid } = pod.metadata;
    const path = pathOf('Pod', namespace, name, 'status');
    const contentType = 'application/strategic-merge-patch+json';
    await this.#cluster.request({ method: 'PATCH', path, body: { metadata: { uid }, status }, contentType });
  }
}

/** RFC 3339 in whole seconds. */
export const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const containerStatus = ({ spec }: AnyObject, state: object, isReady: boolean) =>
  (spec.containers as { name: string; image: string }[]).map(({ name, image }) => ({
    name,
    image,
    imageID: image,
    ready: isReady,
    started: isReady,
    restartCount: 0,
    lastState: {},
    state,
  }));

const readiness = (isReady: boolean, time: string, reason?: string) =>
  ['Ready', 'ContainersReady'].map((type) => ({
    type,
    status: isReady ? 'True' : 'False',
    lastTransitionTime: time,
    ...(reason && { reason }),
  }));

function runningStatus(pod: AnyObject, time: string, isReady: boolean) {
  return {
    phase: 'Running',
    startTime: time,
    conditions: readiness(isReady, time),
    containerStatuses: containerStatus(pod, { running: { startedAt: time } }, isReady),
  };
}

function terminatedStatus(
  pod: AnyObject,
  { exitCode, startedAt, finishedAt }: { exitCode: number; startedAt: string; finishedAt: string },
) {
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: readiness(false, finishedAt, exitCode === 0 ? 'PodCompleted' : 'PodFailed'),
    containerStatuses: containerStatus(pod, { running: null, terminated: { exitCode, reason, startedAt, finishedAt } }, false),
  };
}

/** The status of a pod whose readiness changes. */
export const readinessChange = (pod: AnyObject, isReady: boolean, now: number) => ({
  conditions: readiness(isReady, timeText(now)),
  containerStatuses: containerStatus(pod, { running: { startedAt: pod.status.startTime } }, isReady),
});
