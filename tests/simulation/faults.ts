import type { Random } from '@nodeagent/api';
import type { CriMethod, Fault } from '@nodeagent/memory-runtime';
import type { CrashKind, TestCluster, TestNode } from '@nodeagent/test-cluster';
import { between, pick } from './chance.js';
import type { SimulatedDisk } from './disk.js';
import type { HistoryBook } from './history.js';

/** What faults need of a simulation. */
export interface FaultTarget {
  readonly cluster: TestCluster;
  readonly node: TestNode;
  /** The user of the agent's requests. */
  readonly user: string;
  readonly disk: SimulatedDisk;
  readonly book: HistoryBook;
  losesEvents: boolean;
  readonly lostEvents: number;
  restart(): void;
  kill(kind?: CrashKind): true;
  revive(): void;
}

/** Something that goes wrong for a while. */
export interface RunningFault {
  /** Sets right what does not do so by itself. */
  end(): void;
  /** How often it was felt. */
  readonly hits: number;
}

/** A way in which something can go wrong. */
export interface FaultKind {
  name: string;
  begin(world: FaultTarget, random: Random): RunningFault | Promise<RunningFault>;
}

const methods: readonly CriMethod[] = [
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'podSandboxStatus',
  'listPodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'listContainers',
  'containerStatus',
  'updateContainerResources',
  'execSync',
  'imageStatus',
  'pullImage',
  'status',
];

/** As CRI clients limit each call. */
const timeoutMs = 120_000;

const nothing = () => {};
const once = (end: () => void = nothing): RunningFault => ({ end, hits: 1 });

/** Calls of the runtime go wrong: a few of one method, or each with some probability. */
function criFault(name: string, how: (random: Random) => Omit<Fault, 'method' | 'times'>): FaultKind {
  return {
    name,
    begin({ node }, random) {
      const often = random() < 0.3;
      const handle = node.runtime.fault({
        method: often ? '*' : pick(random, methods),
        times: often ? Number.POSITIVE_INFINITY : between(random, 1, 5),
        ...(often && { match: () => random() < 0.2 }),
        ...how(random),
      });
      return {
        end: handle.remove,
        get hits() {
          return handle.hits;
        },
      };
    },
  };
}

/** Requests of the agent go wrong with some probability. */
function apiFault(name: string, how: (random: Random) => Parameters<TestCluster['server']['fault']>[0]): FaultKind {
  return {
    name,
    begin({ cluster }, random) {
      const handle = cluster.server.fault({ times: Number.POSITIVE_INFINITY, probability: pick(random, [0.2, 0.5, 1]), ...how(random) });
      return {
        end: handle.remove,
        get hits() {
          return handle.hits;
        },
      };
    },
  };
}

export const faultKinds: readonly FaultKind[] = [
  // Never NOT_FOUND: of a container that runs that is no fault but a lie, which a kubelet believes.
  criFault('cri-error', (random) => ({ error: pick(random, ['CRI_UNKNOWN', 'CRI_UNAVAILABLE', 'no space left on device']) })),
  criFault('cri-timeout', () => ({ delayMs: timeoutMs, error: 'CRI_DEADLINE_EXCEEDED' })),
  criFault('cri-late', () => ({ dropAfter: true, delayMs: timeoutMs, error: 'CRI_DEADLINE_EXCEEDED' })),
  criFault('cri-lost-answer', () => ({ dropAfter: true })),
  criFault('cri-slow', (random) => ({ delayMs: between(random, 100, 30_000) })),
  {
    name: 'runtime-crash',
    begin({ node }) {
      node.runtime.crash();
      return once(() => node.runtime.restart());
    },
  },
  {
    name: 'network-not-ready',
    begin({ node }) {
      node.runtime.setCondition('NetworkReady', false, 'NetworkPluginNotReady', 'cni plugin not initialized');
      return once(() => node.runtime.setCondition('NetworkReady', true));
    },
  },
  {
    name: 'lost-events',
    begin(world) {
      const before = world.lostEvents;
      world.losesEvents = true;
      return {
        end() {
          world.losesEvents = false;
        },
        get hits() {
          return world.lostEvents - before;
        },
      };
    },
  },
  {
    name: 'machine-reboot',
    begin(world) {
      world.kill('machine');
      return once(() => world.revive());
    },
  },
  {
    name: 'agent-killed-between-steps',
    async begin(world, random) {
      for (let steps = between(random, 0, 40); steps > 0; steps--) await world.cluster.clock.advanceToNext();
      world.kill();
      return once(() => world.revive());
    },
  },
  {
    name: 'agent-killed-in-a-call',
    begin(world, random) {
      const afterwards = random() < 0.5;
      const { node } = world;
      let hits = 0;
      const handle = node.runtime.fault({
        method: '*',
        skip: between(random, 0, 60),
        async answer(_request, proceed) {
          const answer = afterwards ? await proceed() : undefined;
          hits++;
          world.kill();
          return answer as never;
        },
      });
      return {
        end() {
          handle.remove();
          world.revive();
        },
        get hits() {
          return hits;
        },
      };
    },
  },
  {
    name: 'agent-killed-in-a-request',
    begin(world, random) {
      let left = between(random, 0, 40);
      const handle = world.cluster.server.fault({
        match: (_info, { username }) => username === world.user && left-- === 0 && world.kill(),
        cut: random() < 0.5 ? 'before' : 'after',
      });
      return {
        end() {
          handle.remove();
          world.revive();
        },
        get hits() {
          return handle.hits;
        },
      };
    },
  },
  {
    name: 'agent-killed-in-a-mount',
    begin(world, random) {
      let left = between(random, 0, 3);
      let hits = 0;
      world.disk.onChange = () => {
        if (left-- !== 0) return;
        hits++;
        world.kill();
      };
      return {
        end() {
          world.disk.onChange = undefined;
          world.revive();
        },
        get hits() {
          return hits;
        },
      };
    },
  },
  {
    name: 'agent-restart',
    begin(world) {
      world.restart();
      return once();
    },
  },
  {
    name: 'api-outage',
    begin({ node }) {
      node.partition('refused');
      return once(() => node.heal());
    },
  },
  {
    name: 'api-silence',
    begin({ node }) {
      node.partition('silent');
      return once(() => node.heal());
    },
  },
  apiFault('api-error', (random) => ({ status: pick(random, [500, 503, 504, 429]) })),
  apiFault('api-conflict', () => ({ status: 409, match: ({ verb }) => verb === 'patch' || verb === 'update' })),
  {
    name: 'api-watch-expired',
    begin({ cluster, node }) {
      const handle = cluster.server.fault({ times: Number.POSITIVE_INFINITY, status: 410, match: { verb: 'watch' } });
      // The watches break off, so that there are new ones.
      node.partition('refused');
      node.heal();
      return {
        end: handle.remove,
        get hits() {
          return handle.hits;
        },
      };
    },
  },
  apiFault('api-slow', (random) => ({ latencyMs: between(random, 100, 10_000) })),
  apiFault('api-lost-answer', () => ({ cut: 'after' })),
  {
    name: 'disk-full',
    begin({ node, disk }) {
      const before = disk.hits;
      disk.full = true;
      node.pressure({ disk: '95%' });
      return {
        end() {
          disk.full = false;
          node.pressure({ disk: '0' });
        },
        get hits() {
          return 1 + disk.hits - before;
        },
      };
    },
  },
  {
    name: 'memory-short',
    begin({ node }) {
      node.pressure({ memory: '99.9%' });
      return once(() => node.pressure({ memory: '0' }));
    },
  },
  {
    name: 'slow-volumes',
    begin({ disk }, random) {
      const before = disk.hits;
      disk.slowMs = between(random, 500, 60_000);
      return {
        end() {
          disk.slowMs = 0;
        },
        get hits() {
          return disk.hits - before;
        },
      };
    },
  },
  {
    name: 'clock-jump',
    begin({ cluster, book }, random) {
      book.era++;
      // Put back by an hour, a kubelet's back-offs would last an hour longer: they are counted from when a container ended.
      cluster.clock.jump(pick(random, [-60_000, -5_000, -500, 500, 5_000, 60_000, 3_600_000]));
      return once();
    },
  },
  {
    name: 'container-killed',
    begin({ node }, random) {
      const running = node.runtime.containers().filter(({ state }) => state === 'running');
      if (running.length === 0) return { end: nothing, hits: 0 };
      node.runtime.kill(pick(random, running).id, pick(random, [0, 1, 137]), random() < 0.3 ? 'OOMKilled' : undefined);
      return once();
    },
  },
  {
    name: 'sandbox-killed',
    begin({ node }, random) {
      const ready = node.runtime.sandboxes().filter((sandbox) => sandbox.ready);
      if (ready.length === 0) return { end: nothing, hits: 0 };
      node.runtime.killSandbox(pick(random, ready).id);
      return once();
    },
  },
];
