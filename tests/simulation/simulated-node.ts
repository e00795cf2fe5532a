import type { Clock, EventRecorder, Pod, PodSource } from '@nodeagent/api';
import { formatTime, isStaticPod, isTerminalPhase, podUid } from '@nodeagent/api/helpers';
import { createMemoryCgroups } from '@nodeagent/cgroups/memory';
import { createMemoryFiles, createMemoryPodDirs, loadResourceManagers, machineParts, type NodeHost } from '@nodeagent/core/node';
import type { ContainerEventResponse } from '@nodeagent/cri-api';
import { createInProcessTransport } from '@nodeagent/kube-client';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { type CrashKind, createTestCluster, type SimulatedAgentOptions, type TestCluster, type TestNode } from '@nodeagent/test-cluster';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import type { Action } from './actions.js';
import { type ApiSocket, createApiSocket } from './api-socket.js';
import { CallLog } from './call-log.js';
import { randomOf } from './chance.js';
import { createSimulatedCheckpoints } from './checkpoints.js';
import { type CriSocket, createCriSocket } from './cri-socket.js';
import { createDeliveries } from './deliveries.js';
import { createSimulatedDevices } from './devices.js';
import { createSimulatedDisk } from './disk.js';
import type { Candidate } from './eviction-candidate.js';
import { candidatesOf } from './eviction-rank.js';
import { agentStart, effectOf, FaultTimes } from './fault-bounds.js';
import { faultKinds, type InjectedFault } from './faults.js';
import { HistoryBook } from './history.js';
import { observedOrder } from './observed-order.js';
import { observedPorts } from './observed-ports.js';
import { apiPort, criPort, devicePort, volumePort } from './port-calls.js';
import { isRejected } from './rejected.js';
import { admittedOf } from './requests-invariant.js';
import { type ResourceCall, savedIn, unsaved } from './saved-first.js';
import { allocatable, exclusiveResources, simulatedHost } from './simulated-host.js';
import type { Snapshot } from './snapshot.js';
import { behaviourOf, priorityClasses, readinessGate } from './workload.js';

/** A deliberate bug, to check that an invariant finds it. */
export interface Mutation {
  name: string;
  /** The invariants that find it. */
  foundBy: readonly string[];
  /** Where a test begins its search, to save time. Default 1. */
  firstSeed?: number;
  /** Changes the ports of each agent. */
  wrap?(options: SimulatedAgentOptions): SimulatedAgentOptions;
  /** Once the node is ready. */
  setUp?(simulation: SimulatedNode): void;
}

/** How often each kind of fault was injected and hit. */
export type Coverage = Record<string, { injected: number; hit: number }>;

export interface SimulatedNodeOptions {
  seed: number;
  mutation?: Mutation | undefined;
  /** Lines of trace to keep. Default 0. */
  traceLimit?: number;
}

const rootDir = '/var/lib/nodeagent';
const deviceCheckpoint = `${rootDir}/device-plugins/kubelet_internal_checkpoint`;
const cpuState = `${rootDir}/cpu_manager_state`;
/** Duration of the save of a checkpoint: what happens meanwhile must not depend on it. */
const saveMs = 20;

/** A node with its runtime, disk and API server, on which actions are performed. */
export class SimulatedNode {
  readonly user = 'system:node:node-1';
  readonly book = new HistoryBook();
  readonly coverage: Coverage = {};
  /** Whether container events are lost, and how many were. */
  isLosingEvents = false;
  lostEvents = 0;
  /** Pods that were created, mirrors not counted. */
  createdPods = 0;
  isCalm = false;
  readonly disk = createSimulatedDisk(rootDir);
  readonly devices = createSimulatedDevices();
  /** Shared by all agents, as on a disk. */
  readonly checkpoints = createSimulatedCheckpoints();
  cluster!: TestCluster;
  node!: TestNode;
  readonly #seed: number;
  readonly #clock = createVirtualClock({ settleIO: () => this.#settleIO() });
  /** Calls of the current agent. */
  readonly #calls = new CallLog(() => this.#clock.monotonic());
  #loading: Promise<void> | undefined;
  #loaded = () => {};
  readonly #files = createMemoryFiles();
  readonly #podDirs = createMemoryPodDirs(this.#files);
  readonly #cgroups = createMemoryCgroups();
  /** The running agent, or the last one. */
  #agent = { isAlive: true };
  readonly #statics = new Map<string, Pod>();
  readonly #staticSource: PodSource;
  readonly #shapes = new Map<string, string>();
  readonly #faults = new Set<InjectedFault>();
  readonly #faultTimes = new FaultTimes();
  /** UIDs of the pods whose events the last fault dropped. */
  #podsOfLostEvents = new Set<string>();
  /** Ends the time in which an agent starts. */
  #endStart: ((nowMs: number) => void) | undefined;
  #restarting = false;
  #error: unknown;
  #lastEviction: { atMs: number; uid: string } | undefined;
  /** What the agent could evict, by its last stats and by those before. */
  #candidates: readonly (readonly Candidate[])[] = [];

  readonly #exclusive: boolean;
  /** Whether the agents follow the runtime's events. */
  readonly #isEvented: boolean;
  /** Whether the agents call the runtime over a Unix socket. */
  readonly #usesSocket: boolean;
  /** Whether the agents send requests to the API server over TCP. */
  readonly #usesTcp: boolean;
  readonly #deliveries = createDeliveries();
  #socket: CriSocket | undefined;
  readonly #disconnecting: Promise<void>[] = [];
  #apiSocket: ApiSocket | undefined;

  private constructor(seed: number) {
    this.#seed = seed;
    this.#isEvented = randomOf(seed, 'evented')() < 0.7;
    this.#exclusive = randomOf(seed, 'exclusive CPUs')() < 0.5;
    this.#usesSocket = randomOf(seed, 'CRI socket')() < 1 / 8;
    this.#usesTcp = randomOf(seed, 'API socket')() < 1 / 8;
    const hand = () => this.#staticSource.onPods?.([...this.#statics.values()]);
    this.#staticSource = { name: 'file', onPods: undefined, start: async () => hand(), stop: async () => {} };
  }

  /** Creates a simulation and waits until its node is ready. */
  static async create({ seed, mutation, traceLimit = 0 }: SimulatedNodeOptions): Promise<SimulatedNode> {
    const simulation = new SimulatedNode(seed);
    try {
      await simulation.#setUp(mutation, traceLimit);
    } catch (error) {
      await simulation.close();
      throw error;
    }
    return simulation;
  }

  async #setUp(mutation: Mutation | undefined, traceLimit: number): Promise<void> {
    await loadResourceManagers();
    if (this.#usesTcp) this.#apiSocket = await createApiSocket(this.#deliveries);
    this.cluster = await createTestCluster({
      seed: this.#seed,
      clock: this.#clock,
      traceLimit,
      server: { scheduler: false, workloads: false, audit: (event) => this.book.recordAudit(event, this.#clock.monotonic()) },
      node: {
        runtime: { recordCalls: 100_000, files: this.#files },
        agent: {
          sources: [this.#staticSource],
          ...(this.#exclusive && exclusiveResources),
          settings: {
            evented: this.#isEvented ? 'auto' : 'off',
            cgroupsPerQOS: true,
            devicePlugins: randomOf(this.#seed, 'devices')() < 0.5,
            imageMinimumGCAgeMs: 5_000,
            imageMaximumGCAgeMs: 30_000,
          },
          host: { files: this.#files, cgroups: this.#cgroups.files },
          parts: { devices: machineParts.devices },
        },
        transport: (server) => apiPort((this.#apiSocket?.transport ?? createInProcessTransport)(server), this.#calls.observe),
        wrap: (options) =>
          this.#observedOrder(this.#recorded(this.#observed(this.#wrapped(this.#connected(mutation?.wrap?.(options) ?? options))))),
      },
    });
    this.node = this.cluster.node('node-1');
    this.checkpoints.saveMs = saveMs;
    for (const each of priorityClasses) this.cluster.apply(each);
    this.disk.onMount = (uid, volume) => this.#begins(uid, `the mount of ${volume}`);
    this.disk.onUnmount = (uid, volume) => this.book.unmounts.push({ uid, volume, running: this.#running(uid) });
    this.cluster.script({}, (container) => behaviourOf(this.#seed, container, this.#shapes.get(container.pod), this.isCalm));
    mutation?.setUp?.(this);
  }

  get nowMs(): number {
    return this.#clock.monotonic();
  }

  /** Performs an action after its delay; an action on a removed object has no effect. */
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
            for (const container of pod.spec?.containers ?? []) {
              const { requests, limits } = container.resources ?? {};
              container.resources = { ...(limits && { limits }), requests: { ...requests, cpu: action.cpu } };
            }
          },
          'resize',
        );
        return;
      case 'gate':
        this.#setGate(action.name, action.isOpen);
        return;
      case 'static':
        this.#setStatic(action.name, action.pod);
        return;
      case 'fault':
        await this.#injectFault(action);
        return;
    }
  }

  /** Removes all faults; from then on containers behave. */
  stopFaults(): void {
    this.isCalm = true;
    for (const fault of [...this.#faults]) this.#removeFault(fault);
    this.restartIfDown();
  }

  /** Deletes all pods. */
  deleteAllPods(): void {
    for (const { metadata } of this.book.pods.values()) if (metadata?.name?.startsWith('p')) this.delete(metadata.name);
    for (const name of [...this.#statics.keys()]) this.#setStatic(name, undefined);
  }

  delete(name: string, graceSeconds?: number): void {
    const { objects } = this.cluster.server;
    const pod = objects.get<Pod>('pods', name);
    if (pod === undefined) return;
    objects.delete('pods', name, graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds });
    const left = objects.get<Pod>('pods', name);
    this.book.recordWrite(left ?? pod, this.nowMs, left === undefined);
  }

  /** Crashes the agent, or the machine; returns true, so that a match can call it. */
  kill(kind?: CrashKind): true {
    this.#restarting = false;
    this.#endStart?.(this.nowMs);
    this.#agent.isAlive = false;
    this.#disconnect();
    this.node.crash(kind);
    return true;
  }

  /** Restarts the agent unless it runs. */
  restartIfDown(): void {
    if (!this.node.isUp) this.restart();
  }

  /** Replaces the agent, as by an upgrade; does not wait for it. */
  restart(): void {
    if (this.#restarting) return;
    this.#restarting = true;
    this.#endStart = this.#faultTimes.begin(agentStart, this.nowMs);
    const endStart = this.#endStart;
    const done = (error?: unknown) => {
      this.#restarting = false;
      endStart(this.nowMs);
      this.#error ??= error;
    };
    this.#replaceAgent().then(() => done(), done);
  }

  async #replaceAgent(): Promise<void> {
    if (this.node.isUp) await this.node.stop();
    this.#agent.isAlive = false;
    this.#disconnect();
    this.#loading = new Promise((resolve) => {
      this.#loaded = resolve;
    });
    // What the previous agent sent is processed before the next one starts, however long that takes to load.
    await this.#deliveries.settle();
    await this.node.restart();
  }

  /** No virtual time passes while a new agent loads its modules, and while messages are in transit. */
  async #settleIO(): Promise<void> {
    do {
      if (this.#loading !== undefined) {
        await this.#loading;
        // The first steps of the new agent take no virtual time either.
        await new Promise((resolve) => setImmediate(setImmediate, resolve));
      }
      await this.#deliveries.settle();
      // The last response to an agent may let the next one start.
    } while (this.#loading !== undefined);
  }

  /** The ports of an agent that calls the runtime over a socket, in some seeds. */
  #connected(options: SimulatedAgentOptions): SimulatedAgentOptions {
    if (!this.#usesSocket) return options;
    this.#socket = createCriSocket(options.cri, this.#deliveries);
    return { ...options, cri: this.#socket.cri };
  }

  #disconnect(): void {
    if (this.#socket) this.#disconnecting.push(this.#socket.disconnect());
    this.#socket = undefined;
  }

  /** The current state, and the changes since the previous snapshot. */
  async inspect(): Promise<Snapshot> {
    if (this.#error !== undefined) throw this.#error;
    const { runtime } = this.node;
    const containers = runtime.containers();
    this.book.observe(containers, runtime.calls);
    runtime.clearCalls();
    const nowMs = this.nowMs;
    const views = this.node.isUp ? this.node.agent.pods() : [];
    return {
      nowMs,
      wallMs: this.cluster.clock.now(),
      unblockedMs: (waiting, sinceMs) => this.#faultTimes.unblockedMs(waiting, sinceMs, nowMs),
      containers,
      sandboxes: runtime.sandboxes(),
      pods: [...this.book.pods.values()],
      statics: [...this.#statics.values()],
      mounts: this.disk.mounts(),
      dirs: await this.#podDirs.list(),
      cgroups: this.#cgroups.paths().flatMap((path) => /\/pod([^/]+)$/.exec(path)?.[1] ?? []),
      timers: this.cluster.clock.pending,
      pulls: this.node.isUp ? this.node.agent.pulls().length : 0,
      allocatable: this.#exclusive ? allocatable.exclusive : allocatable.shared,
      known: views.length,
      admitted: admittedOf(views),
      endedStatics: new Set(
        views.filter(({ pod, status }) => isStaticPod(pod) && isTerminalPhase(status.phase)).map(({ pod }) => podUid(pod)),
      ),
      repeatedCalls: this.#calls.violations.splice(0),
      history: this.book,
    };
  }

  #create(pod: Pod): void {
    const { name = '', labels } = pod.metadata ?? {};
    this.createdPods++;
    this.#shapes.set(name, labels?.shape ?? '');
    this.book.recordWrite(this.cluster.apply(pod), this.nowMs);
  }

  #change(name: string, change: (pod: Pod) => void, subresource?: string): void {
    const { objects } = this.cluster.server;
    if (objects.get<Pod>('pods', name) === undefined) return;
    this.book.recordWrite(objects.update<Pod>('pods', name, change, subresource ? { subresource } : {}), this.nowMs);
  }

  /** Sets the condition of the pod's readiness gate, as its controller does. */
  #setGate(name: string, isOpen: boolean): void {
    const hasGate = (this.cluster.pod(name)?.spec?.readinessGates ?? []).length > 0;
    if (!hasGate) return;
    const condition = { type: readinessGate, status: isOpen ? 'True' : 'False', lastTransitionTime: formatTime(this.cluster.clock.now()) };
    this.#change(
      name,
      (pod) => {
        const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== readinessGate);
        pod.status = { ...pod.status, conditions: [...others, condition] };
      },
      'status',
    );
  }

  #setStatic(name: string, pod: Pod | undefined): void {
    const before = this.#statics.get(name);
    const { terminationGracePeriodSeconds = 30 } = before?.spec ?? {};
    if (before) this.book.recordRemoval(podUid(before), this.nowMs, terminationGracePeriodSeconds * 1000);
    if (pod) {
      this.createdPods++;
      this.#shapes.set(name, pod.metadata?.labels?.shape ?? '');
      this.#statics.set(name, pod);
      this.book.staticPods.set(podUid(pod), pod);
    } else this.#statics.delete(name);
    if (this.node.isUp) this.#staticSource.onPods?.([...this.#statics.values()]);
  }

  async #injectFault({ kind: name, forMs, seed }: Extract<Action, { do: 'fault' }>): Promise<void> {
    const kind = faultKinds.find((each) => each.name === name);
    if (kind === undefined) throw new Error(`no such fault: ${name}`);
    if (name === 'lost-events') this.#podsOfLostEvents = new Set();
    const touched = name === 'lost-events' ? this.#podsOfLostEvents : undefined;
    const endTime = this.#faultTimes.begin(effectOf(name, this.#isEvented), this.nowMs, touched);
    const running = await kind.inject(this, seededRandom(seed));
    const counts = this.coverage[name] ?? { injected: 0, hit: 0 };
    this.coverage[name] = counts;
    counts.injected++;
    const fault: InjectedFault = {
      end: () => {
        counts.hit += running.hits;
        running.end();
        endTime(this.nowMs, running.hits > 0);
      },
      get hits() {
        return running.hits;
      },
    };
    this.#faults.add(fault);
    this.#clock.setTimeout(() => this.#removeFault(fault), forMs);
  }

  #removeFault(fault: InjectedFault): void {
    if (this.#faults.delete(fault)) fault.end();
  }

  /** A new agent started. */
  #agentStarted(): EventRecorder {
    this.#loaded();
    this.#loading = undefined;
    this.#agent = { isAlive: true };
    this.book.agentStarted(this.nowMs);
    this.#calls.clear();
    this.#lastEviction = undefined;
    this.#candidates = [];
    return {
      event: ({ uid = '' }, _type, reason, message) => {
        if (reason === 'Preempting') this.book.recordPreemption(uid);
        // Admission uses the same reason for rejections.
        if (reason !== 'Evicted' || !message.startsWith('The node was low on resource')) return;
        const previous = this.#lastEviction;
        this.#lastEviction = { atMs: this.nowMs, uid };
        this.book.recordEviction({
          ...this.#lastEviction,
          message,
          candidates: this.#candidates,
          previous: previous && { ...previous, running: this.#running(previous.uid).length > 0 },
        });
      },
    };
  }

  /** Names of the pod's running containers. */
  #running(uid: string): string[] {
    const { runtime } = this.node;
    return runtime.containers().flatMap(({ podUid: of, name, state }) => (of === uid && state === 'running' ? [name] : []));
  }

  /** The existing containers that use the image and are in the list. */
  #usersOf(image: string, listed: ReadonlySet<string>): MemoryContainer[] {
    return this.node.runtime.containers().filter(({ id, config }) => listed.has(id) && config.image?.image === image);
  }

  /** Something begins for a pod. An agent that starts does not know its pods yet. */
  #begins(uid: string, what: string): void {
    const { state } = (this.node?.isUp && this.node.agent.pods().find(({ pod }) => podUid(pod) === uid)) || {};
    if (state !== undefined && state !== 'SyncPod') this.book.lateBeginnings.push(`${what} for ${uid} began in the state ${state}`);
  }

  /** A container gets resources. */
  #gives(uid: string, name: string, call: Omit<ResourceCall, 'container'>): void {
    const { entries } = this.#files;
    const saved = {
      cpus: this.checkpoints.savedCpus(uid, name),
      ...savedIn(entries.get(deviceCheckpoint), entries.get(cpuState), uid, name),
    };
    this.book.unsaved.push(...unsaved({ container: `${uid}/${name}`, ...call }, saved));
  }

  #observedOrder(options: SimulatedAgentOptions): SimulatedAgentOptions {
    const containerOf = (id: string) => this.node.runtime.containers().find((container) => container.id === id);
    return observedOrder(options, {
      onRunSandbox: (uid) => this.#begins(uid, 'a sandbox'),
      onCreateContainer: (uid, { metadata, linux, devices }) =>
        this.#gives(uid, metadata?.name ?? '', { resources: linux?.resources, devices }),
      onUpdateContainer: (id, resources) => {
        const { podUid: uid = '', name = '', resources: before } = containerOf(id) ?? {};
        this.#gives(uid, name, { resources, sharesBefore: before?.cpuShares ?? 0n });
      },
    });
  }

  /** The ports of an agent, whose calls are recorded. */
  #recorded({ host, volumes, ...options }: SimulatedAgentOptions): SimulatedAgentOptions {
    const { observe } = this.#calls;
    return {
      ...options,
      cri: criPort(options.cri, observe),
      ...(volumes && { volumes: volumePort(volumes, observe) }),
      host: { ...host, ...(host.devicePlugins && { devicePlugins: devicePort(host.devicePlugins, observe) }) },
    };
  }

  #observed(options: SimulatedAgentOptions): SimulatedAgentOptions {
    let listed: ReadonlySet<string> = new Set();
    const own = new Set<string>();
    return observedPorts(options, {
      onListImages: () => {
        listed = new Set(this.node.runtime.containers().map(({ id }) => id));
      },
      onRemoveImage: (image) => this.book.recordImageRemoval({ image, users: this.#usersOf(image, listed) }),
      onStart: (id) => own.add(id),
      onStop: (id) => {
        const { podUid: uid = '' } = this.node.runtime.containers().find((container) => container.id === id) ?? {};
        this.book.atStop.set(id, {
          running: this.#running(uid),
          isOwn: own.has(id),
          isAdmitted: this.node.isUp && this.node.agent.pods().some(({ pod, status }) => podUid(pod) === uid && !isRejected(status)),
          isEvicted: this.book.evictedByAgent.has(uid),
        });
      },
      onStopSandbox: (sandbox) => {
        for (const { id, sandboxId, state } of this.node.runtime.containers())
          if (sandboxId === sandbox && state === 'created') this.book.createdAtStop.add(id);
      },
      onStats: (stats) => {
        const present = new Set([...this.book.pods.keys(), ...[...this.#statics.values()].map(podUid)]);
        this.#candidates = [candidatesOf(stats, this.node.agent.pods(), present), ...this.#candidates.slice(0, 1)];
      },
    });
  }

  /** The ports of an agent, with container events that a fault can drop. */
  #wrapped(options: SimulatedAgentOptions): SimulatedAgentOptions {
    const { runtime } = options.cri;
    const events: typeof runtime.getContainerEvents = (...args) => this.#someOf(runtime.getContainerEvents(...args));
    const losing = new Proxy(runtime, { get: (target, name) => (name === 'getContainerEvents' ? events : Reflect.get(target, name)) });
    const clock = options.clock ?? this.#clock;
    return {
      ...options,
      volumes: this.disk.volumes(clock),
      recorder: this.#agentStarted(),
      cri: { ...options.cri, runtime: losing },
      host: this.#hostOf(options.host, clock),
    };
  }

  #hostOf(
    { machine, files = this.#files, cgroups, podDirs: _dirs, checkpoints: _checkpoints, ...others }: Partial<NodeHost>,
    clock: Clock,
  ): NodeHost {
    const agent = this.#agent;
    const checkpoints = this.checkpoints.ports({ clock, files, isAlive: () => agent.isAlive });
    return {
      ...others,
      ...simulatedHost({ files, ...(machine && { machine }), ...(cgroups && { cgroups }) }, this.#podDirs, checkpoints),
      devicePlugins: this.devices.ports(clock),
    };
  }

  async *#someOf(events: AsyncIterable<ContainerEventResponse>): AsyncGenerator<ContainerEventResponse, void, undefined> {
    for await (const event of events) {
      if (!this.isLosingEvents) {
        yield event;
        continue;
      }
      this.lostEvents++;
      this.#podsOfLostEvents.add(event.podSandboxStatus?.metadata?.uid ?? '');
    }
  }

  /** Stops the simulation; resolves to the number of remaining timers. */
  async stop(): Promise<number> {
    return this.cluster.stop();
  }

  /** Closes the sockets. */
  async close(): Promise<void> {
    this.#disconnect();
    await Promise.all([...this.#disconnecting, this.#apiSocket?.close()]);
  }
}
