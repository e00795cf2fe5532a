import { type EventRecorder, type Pod, type PodSource, podUid } from '@nodeagent/api';
import { createMemoryFiles, createMemoryPodDirs } from '@nodeagent/core';
import type { ActuatedState, ActuatedStateStore } from '@nodeagent/runtime-manager';
import { type CrashKind, createTestCluster, type SimulatedAgentOptions, type TestCluster, type TestNode } from '@nodeagent/test-cluster';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import type { Action } from './actions.js';
import { randomOf } from './chance.js';
import { createSimulatedDisk } from './disk.js';
import { faultKinds, type RunningFault } from './faults.js';
import { HistoryBook } from './history.js';
import type { Snapshot } from './snapshot.js';
import { behaviourOf } from './workload.js';

/** Something that is broken on purpose, to see whether it is noticed. */
export interface Mutation {
  name: string;
  /** The invariants that tell. */
  foundBy: readonly string[];
  /** Between each agent and its ports. */
  wrap?(options: SimulatedAgentOptions): SimulatedAgentOptions;
  /** Once the node is ready. */
  begin?(world: World): void;
}

/** How often each kind of fault was begun and felt. */
export type Coverage = Record<string, { begun: number; felt: number }>;

export interface WorldOptions {
  seed: number;
  mutation?: Mutation | undefined;
  /** Lines of trace to keep. Default 0. */
  traceLimit?: number;
}

const rootDir = '/var/lib/nodeagent';

function createMemoryActuatedState(): ActuatedStateStore {
  let saved: ActuatedState | undefined;
  return {
    load: async () => structuredClone(saved),
    async save(state) {
      saved = structuredClone(state);
    },
  };
}

/** A node and all that is around it, to which actions are done. */
export class World {
  readonly user = 'system:node:node-1';
  readonly book = new HistoryBook();
  readonly coverage: Coverage = {};
  /** Whether container events are lost now, and how many were. */
  losesEvents = false;
  lostEvents = 0;
  /** Pods that were created, mirrors not counted. */
  lives = 0;
  calm = false;
  readonly disk = createSimulatedDisk(rootDir);
  cluster!: TestCluster;
  node!: TestNode;
  readonly #seed: number;
  // Modules are loaded in real time: until an agent's are, no virtual time passes.
  readonly #clock = createVirtualClock({ settleIO: () => this.#settleLoading() });
  #loading: Promise<void> | undefined;
  #loaded = () => {};
  readonly #files = createMemoryFiles();
  readonly #podDirs = createMemoryPodDirs(this.#files);
  /** Of all agents, as on a disk. */
  readonly #actuatedState = createMemoryActuatedState();
  readonly #statics = new Map<string, Pod>();
  readonly #staticSource: PodSource;
  readonly #shapes = new Map<string, string>();
  readonly #faults = new Set<RunningFault>();
  #quietSince = 0;
  #restarting = false;
  #error: unknown;
  #lastEviction: { atMs: number; uid: string } | undefined;

  private constructor(seed: number) {
    this.#seed = seed;
    const hand = () => this.#staticSource.onPods?.([...this.#statics.values()]);
    this.#staticSource = { name: 'file', onPods: undefined, start: async () => hand(), stop: async () => {} };
  }

  /** A world whose node is ready. */
  static async begin({ seed, mutation, traceLimit = 0 }: WorldOptions): Promise<World> {
    const world = new World(seed);
    await world.#begin(mutation, traceLimit);
    return world;
  }

  async #begin(mutation: Mutation | undefined, traceLimit: number): Promise<void> {
    this.cluster = await createTestCluster({
      seed: this.#seed,
      clock: this.#clock,
      traceLimit,
      server: { scheduler: false, workloads: false, audit: (event) => this.book.audited(event, this.#clock.monotonic()) },
      node: {
        // Most runs go without, as they are half of all requests.
        events: randomOf(this.#seed, 'events')() < 0.25,
        runtime: { recordCalls: 100_000, files: this.#files },
        agent: {
          sources: [this.#staticSource],
          settings: { evented: randomOf(this.#seed, 'evented')() < 0.7 ? 'auto' : 'off' },
          parts: { files: this.#files, podDirs: this.#podDirs },
          runtimeOptions: { actuatedState: this.#actuatedState },
        },
        wrap: (options) => this.#wrapped(mutation?.wrap?.(options) ?? options),
      },
    });
    this.node = this.cluster.node('node-1');
    this.cluster.script({}, (container) => behaviourOf(this.#seed, container, this.#shapes.get(container.pod), this.calm));
    this.#quietSince = this.nowMs;
    mutation?.begin?.(this);
  }

  get nowMs(): number {
    return this.#clock.monotonic();
  }

  /** Does an action once its time has come; one that cannot be done any more does nothing. */
  async perform(action: Action): Promise<void> {
    await this.cluster.advance(action.afterMs);
    switch (action.do) {
      case 'create':
        this.#create(action.pod);
        return;
      case 'delete':
        this.delete(action.name, action.graceSeconds);
        return;
      case 'update':
        this.#change(action.name, (pod) => {
          for (const container of pod.spec?.containers ?? []) container.image = action.image;
        });
        return;
      case 'resize':
        this.#change(
          action.name,
          (pod) => {
            for (const container of pod.spec?.containers ?? []) container.resources = { requests: { cpu: action.cpu } };
          },
          'resize',
        );
        return;
      case 'static':
        this.#setStatic(action.name, action.pod);
        return;
      case 'fault':
        await this.#beginFault(action);
        return;
    }
  }

  /** Ends all faults, and lets everything behave from now on. */
  quieten(): void {
    this.calm = true;
    for (const fault of [...this.#faults]) this.#endFault(fault);
    this.revive();
  }

  /** Takes all pods away. */
  clear(): void {
    for (const { metadata } of this.book.pods.values()) if (metadata?.name?.startsWith('p')) this.delete(metadata.name);
    for (const name of [...this.#statics.keys()]) this.#setStatic(name, undefined);
  }

  delete(name: string, graceSeconds?: number): void {
    const { objects } = this.cluster.server;
    const pod = objects.get<Pod>('pods', name);
    if (pod === undefined) return;
    objects.delete('pods', name, graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds });
    const left = objects.get<Pod>('pods', name);
    this.book.wrote(left ?? pod, this.nowMs, left === undefined);
  }

  /** Crashes the agent, or the machine; true, so that it can be part of a match. */
  kill(kind?: CrashKind): true {
    this.#restarting = false;
    this.node.crash(kind);
    return true;
  }

  /** Brings the agent back if it is away. */
  revive(): void {
    if (!this.node.isUp) this.restart();
  }

  /** Replaces the agent, as by an upgrade; takes its time. */
  restart(): void {
    if (this.#restarting) return;
    this.#restarting = true;
    const done = (error?: unknown) => {
      this.#restarting = false;
      this.#error ??= error;
    };
    this.#replaceAgent().then(() => done(), done);
  }

  async #replaceAgent(): Promise<void> {
    if (this.node.isUp) await this.node.stop();
    this.#loading = new Promise((resolve) => {
      this.#loaded = resolve;
    });
    await this.node.restart();
  }

  async #settleLoading(): Promise<void> {
    if (this.#loading === undefined) return;
    await this.#loading;
    // What the new agent does at once takes no time either.
    await new Promise((resolve) => setImmediate(setImmediate, resolve));
  }

  /** What there is now, and what has happened since the last look. */
  async look(): Promise<Snapshot> {
    if (this.#error !== undefined) throw this.#error;
    const { runtime } = this.node;
    const containers = runtime.containers();
    this.book.saw(containers, runtime.calls);
    runtime.clearCalls();
    const nowMs = this.nowMs;
    return {
      nowMs,
      wallMs: this.cluster.clock.now(),
      quietMs: this.#faults.size > 0 || !this.node.isUp ? 0 : nowMs - this.#quietSince,
      containers,
      sandboxes: runtime.sandboxes(),
      pods: [...this.book.pods.values()],
      statics: [...this.#statics.values()],
      mounts: this.disk.mounts(),
      dirs: await this.#podDirs.list(),
      timers: this.cluster.clock.pending,
      pulls: this.node.isUp ? this.node.agent.pulls().length : 0,
      known: this.node.isUp ? this.node.agent.pods().length : 0,
      history: this.book,
    };
  }

  #create(pod: Pod): void {
    const { name = '', labels } = pod.metadata ?? {};
    this.lives++;
    this.#shapes.set(name, labels?.shape ?? '');
    this.book.wrote(this.cluster.apply(pod), this.nowMs);
  }

  #change(name: string, change: (pod: Pod) => void, subresource?: string): void {
    const { objects } = this.cluster.server;
    if (objects.get<Pod>('pods', name) === undefined) return;
    this.book.wrote(objects.update<Pod>('pods', name, change, subresource ? { subresource } : {}), this.nowMs);
  }

  #setStatic(name: string, pod: Pod | undefined): void {
    const before = this.#statics.get(name);
    const { terminationGracePeriodSeconds = 30 } = before?.spec ?? {};
    if (before) this.book.leaves(podUid(before), this.nowMs, terminationGracePeriodSeconds * 1000);
    if (pod) {
      this.lives++;
      this.#shapes.set(name, pod.metadata?.labels?.shape ?? '');
      this.#statics.set(name, pod);
    } else this.#statics.delete(name);
    if (this.node.isUp) this.#staticSource.onPods?.([...this.#statics.values()]);
  }

  async #beginFault({ kind: name, forMs, seed }: Extract<Action, { do: 'fault' }>): Promise<void> {
    const kind = faultKinds.find((each) => each.name === name);
    if (kind === undefined) throw new Error(`no such fault: ${name}`);
    const running = await kind.begin(this, seededRandom(seed));
    const counts = this.coverage[name] ?? { begun: 0, felt: 0 };
    this.coverage[name] = counts;
    counts.begun++;
    const fault: RunningFault = {
      end() {
        counts.felt += running.hits;
        running.end();
      },
      get hits() {
        return running.hits;
      },
    };
    this.#faults.add(fault);
    this.#clock.setTimeout(() => this.#endFault(fault), forMs);
  }

  #endFault(fault: RunningFault): void {
    if (!this.#faults.delete(fault)) return;
    fault.end();
    this.#quietSince = this.nowMs;
  }

  /** A new agent begins. */
  #agentBegins(): EventRecorder {
    this.#loaded();
    this.#loading = undefined;
    this.book.begins();
    this.#lastEviction = undefined;
    return {
      event: ({ uid = '' }, _type, reason, message) => {
        // Admission calls refusals so too.
        if (reason !== 'Evicted' || !message.startsWith('The node was low on resource')) return;
        const previous = this.#lastEviction;
        this.#lastEviction = { atMs: this.nowMs, uid };
        this.book.evicts({ ...this.#lastEviction, previous: previous && { ...previous, running: this.#runs(previous.uid) } });
      },
    };
  }

  #runs(uid: string): boolean {
    return this.node.runtime.containers().some(({ podUid: of, state }) => of === uid && state === 'running');
  }

  /** The ports of an agent, whose container events are lost at times. */
  #wrapped(options: SimulatedAgentOptions): SimulatedAgentOptions {
    const { runtime } = options.cri;
    const events: typeof runtime.getContainerEvents = (...args) => this.#someOf(runtime.getContainerEvents(...args));
    const losing = new Proxy(runtime, { get: (target, name) => (name === 'getContainerEvents' ? events : Reflect.get(target, name)) });
    const volumes = this.disk.volumes(options.clock ?? this.#clock);
    return { ...options, volumes, recorder: this.#agentBegins(), cri: { ...options.cri, runtime: losing } };
  }

  async *#someOf<T>(events: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    for await (const event of events) {
      if (this.losesEvents) this.lostEvents++;
      else yield event;
    }
  }

  /** Ends it; says how many timers are left. */
  async end(): Promise<number> {
    return this.cluster.stop();
  }
}
