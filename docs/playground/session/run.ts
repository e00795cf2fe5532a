import { errorMessage, type KubeObject, objectKey } from '@nodeagent/api';
import { createTestCluster, type TestCluster } from '@nodeagent/test-cluster';
import type { Action, PlaygroundState } from '../state.js';
import { Behaviours } from './behaviours.js';
import { problemsOf } from './check-manifests.js';
import { Images } from './images.js';
import { lineFinder, type ManifestObject, type Problem, readManifests } from './manifest-text.js';
import { createRuntimeObserver } from './observe-runtime.js';
import { applyObject, describeAction, perform, removeObject } from './perform.js';
import { isImageObject } from './programs.js';
import type { TimelineRecorder } from './timeline-recorder.js';
import { watchEvents } from './watch-events.js';

/** Wall-clock time at the start of each run. */
const startTime = Date.UTC(2026, 0, 1);

/** The seconds that a graceful shutdown of a node gives to all pods, and of these to critical ones. */
const shutdown = { shutdownGracePeriodSeconds: 30, shutdownGracePeriodCriticalPodsSeconds: 10, inhibitor: false } as const;

export interface RunOptions {
  recorder: TimelineRecorder;
  /** What happens until this time is recorded already. */
  recordedUntil: number;
  /** What the API server refuses of the manifests. */
  onProblems(problems: Problem[]): void;
  /** A program of this image runs on. */
  onProgram(image: string): void;
}

/**
 * One run of a state: a cluster that advances from its start and never back. All of its times are whole milliseconds, so that a replay
 * stops at the same times as the first run, however both are sliced.
 */
export class Run {
  readonly cluster: TestCluster;
  readonly #recorder: TimelineRecorder;
  readonly #watching = new AbortController();
  readonly #images: Images;
  readonly #behaviours: Behaviours;
  #applied: KubeObject[] = [];

  private constructor(cluster: TestCluster, recorder: TimelineRecorder, onProgram: (image: string) => void) {
    this.cluster = cluster;
    this.#recorder = recorder;
    this.#images = new Images(cluster, onProgram);
    this.#behaviours = new Behaviours(cluster);
  }

  /** Creates a cluster whose nodes are ready and applies the manifests. */
  static async create(state: PlaygroundState, { recorder, recordedUntil, onProblems, onProgram }: RunOptions): Promise<Run> {
    let cluster: TestCluster | undefined;
    const observers = new Map<string, ReturnType<typeof createRuntimeObserver>>();
    const observerOf = (node: string) => {
      const observer = observers.get(node) ?? createRuntimeObserver((call) => recorder.call(node, call));
      observers.set(node, observer);
      return observer;
    };
    cluster = await createTestCluster({
      nodes: state.nodes,
      seed: state.seed,
      periods: state.periods,
      start: startTime,
      // The recorder observes the runtimes instead.
      traceLimit: 0,
      node: {
        agent: { shutdown },
        wrap: ({ cri, ...options }) => {
          const { nodeName = '' } = options;
          // The agent exists once its options are used, before any of its timers fires.
          queueMicrotask(() => cluster && recorder.follow(cluster.node(nodeName)));
          const observe = observerOf(nodeName);
          return { ...options, cri: { ...cri, runtime: observe(cri.runtime), image: observe(cri.image) } };
        },
      },
    });
    const { clock } = cluster;
    recorder.begin(() => clock.monotonic(), recordedUntil);
    for (const node of cluster.nodes) recorder.follow(node);
    const run = new Run(cluster, recorder, onProgram);
    void watchEvents(cluster.server, (event) => recorder.event(event), run.#watching.signal).catch(() => {});
    await run.advanceTo(Math.ceil(run.now));
    onProblems(await run.apply(state.manifests));
    return run;
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.cluster.clock.monotonic();
  }

  async advanceTo(at: number): Promise<void> {
    await this.cluster.clock.advance(at - this.now);
  }

  /** Fires timers until the timeline has a new entry. Resolves to false if there is none within `limitMs` of virtual time. */
  async advanceToEntry(limitMs: number, isCancelled: () => boolean): Promise<boolean> {
    const { entries } = this.#recorder;
    const [limit, last] = [this.now + limitMs, entries.at(-1)?.id];
    const isNew = () => this.#recorder.entries.at(-1)?.id !== last;
    while (!isNew() && this.now < limit && !isCancelled() && (await this.cluster.clock.advanceToNext()))
      await this.advanceTo(Math.ceil(this.now));
    return isNew();
  }

  /** Performs an action now; resolves to its problems. */
  async perform(action: Action): Promise<Problem[]> {
    const { text, topic } = describeAction(action);
    const problems: Problem[] = [];
    this.#recorder.user(text, topic);
    try {
      await perform(action, {
        cluster: this.cluster,
        apply: async (manifests) => void problems.push(...(await this.apply(manifests))),
        add: async (manifests) => void problems.push(...(await this.#add(manifests))),
        setPullMs: (ms) => this.#images.setDelay(ms),
      });
    } catch (error) {
      problems.push({ line: 0, message: errorMessage(error) });
      this.#recorder.user(`that was impossible: ${errorMessage(error)}`, topic, true);
    }
    await this.cluster.clock.settle();
    return problems;
  }

  /** Makes the objects those of the manifests: applies them, and deletes the objects of the last manifests that are absent now. */
  async apply(manifests: string): Promise<Problem[]> {
    const { objects, problems } = await readManifests(manifests);
    if (problems.length > 0) return problems;
    const kept = new Set(objects.map(({ object }) => keyOf(object)));
    for (const object of this.#applied) if (!kept.has(keyOf(object))) removeObject(this.cluster, object);
    this.#applied = [];
    return this.#applyAll(objects, manifests);
  }

  async #add(manifests: string): Promise<Problem[]> {
    const { objects, problems } = await readManifests(manifests);
    return problems.length > 0 ? problems : this.#applyAll(objects, manifests);
  }

  #applyAll(objects: readonly ManifestObject[], manifests: string): Problem[] {
    const problems: Problem[] = [];
    for (const { document, object } of objects) {
      try {
        if (isImageObject(object)) this.#images.add(object);
        else {
          this.#images.require(object);
          this.#behaviours.require(object);
          applyObject(this.cluster, object);
          this.#applied.push(object);
        }
      } catch (error) {
        problems.push(...problemsOf(error, document, lineFinder(manifests)));
      }
    }
    return problems;
  }

  async stop(): Promise<void> {
    this.#watching.abort();
    for (const node of this.cluster.nodes) if (node.isUp) node.crash('machine');
    await this.cluster.server.close();
  }
}

function keyOf(object: KubeObject): string {
  if (object.metadata?.name === undefined) return JSON.stringify(object);
  const { namespace = 'default', name } = objectKey(object);
  return `${object.apiVersion} ${object.kind} ${namespace}/${name}`;
}
