import type { Random } from '@nodeagent/api';
import type { CriMethod, Fault } from '@nodeagent/memory-runtime';
import type { CrashKind, TestCluster, TestNode } from '@nodeagent/test-cluster';
import { between, pick } from './chance.js';
import type { SimulatedCheckpoints } from './checkpoints.js';
import type { SimulatedDevices } from './devices.js';
import type { SimulatedDisk } from './disk.js';
import type { HistoryBook } from './history.js';

/** The parts of a simulation that faults use. */
export interface FaultTarget {
  readonly cluster: TestCluster;
  readonly node: TestNode;
  /** The user of the agent's requests. */
  readonly user: string;
  readonly disk: SimulatedDisk;
  readonly devices: SimulatedDevices;
  readonly checkpoints: SimulatedCheckpoints;
  readonly book: HistoryBook;
  isLosingEvents: boolean;
  readonly lostEvents: number;
  restart(): void;
  kill(kind?: CrashKind): true;
  restartIfDown(): void;
}

/** A fault that lasts for a while. */
export interface InjectedFault {
  /** Removes the fault. */
  end(): void;
  /** How often it was hit. */
  readonly hits: number;
}

/** A kind of fault. */
export interface FaultKind {
  name: string;
  inject(target: FaultTarget, random: Random): InjectedFault | Promise<InjectedFault>;
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

/** The timeout of CRI clients for each call. */
const timeoutMs = 120_000;

const nothing = () => {};
const once = (end: () => void = nothing): InjectedFault => ({ end, hits: 1 });

/** Faults in calls of the runtime: in a few calls of one method, or in each call with some probability. */
function criFault(name: string, how: (random: Random) => Omit<Fault, 'method' | 'times'>): FaultKind {
  return {
    name,
    inject({ node }, random) {
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

/** Faults in requests of the agent, with some probability. */
function apiFault(name: string, how: (random: Random) => Parameters<TestCluster['server']['fault']>[0]): FaultKind {
  return {
    name,
    inject({ cluster }, random) {
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
  // Never NOT_FOUND: for a running container it is a wrong answer, not a fault, and a kubelet trusts it.
  criFault('cri-error', (random) => ({ error: pick(random, ['CRI_UNKNOWN', 'CRI_UNAVAILABLE', 'no space left on device']) })),
  criFault('cri-timeout', () => ({ delayMs: timeoutMs, error: 'CRI_DEADLINE_EXCEEDED' })),
  criFault('cri-late', () => ({ dropAfter: true, delayMs: timeoutMs, error: 'CRI_DEADLINE_EXCEEDED' })),
  criFault('cri-lost-answer', () => ({ dropAfter: true })),
  criFault('cri-slow', (random) => ({ delayMs: between(random, 100, 30_000) })),
  {
    name: 'runtime-crash',
    inject({ node }) {
      node.runtime.crash();
      return once(() => node.runtime.restart());
    },
  },
  {
    name: 'network-not-ready',
    inject({ node }) {
      node.runtime.setCondition('NetworkReady', false, 'NetworkPluginNotReady', 'cni plugin not initialized');
      return once(() => node.runtime.setCondition('NetworkReady', true));
    },
  },
  {
    name: 'lost-events',
    inject(target) {
      const before = target.lostEvents;
      target.isLosingEvents = true;
      return {
        end() {
          target.isLosingEvents = false;
        },
        get hits() {
          return target.lostEvents - before;
        },
      };
    },
  },
  {
    name: 'machine-reboot',
    inject(target) {
      target.kill('machine');
      return once(() => target.restartIfDown());
    },
  },
  {
    name: 'agent-killed-between-steps',
    async inject(target, random) {
      for (let steps = between(random, 0, 40); steps > 0; steps--) await target.cluster.clock.advanceToNext();
      target.kill();
      return once(() => target.restartIfDown());
    },
  },
  {
    name: 'agent-killed-in-a-call',
    inject(target, random) {
      const afterwards = random() < 0.5;
      const { node } = target;
      let hits = 0;
      const handle = node.runtime.fault({
        method: '*',
        skip: between(random, 0, 60),
        async answer(_request, proceed) {
          const answer = afterwards ? await proceed() : undefined;
          hits++;
          target.kill();
          return answer as never;
        },
      });
      return {
        end() {
          handle.remove();
          target.restartIfDown();
        },
        get hits() {
          return hits;
        },
      };
    },
  },
  {
    name: 'agent-killed-in-a-request',
    inject(target, random) {
      let left = between(random, 0, 40);
      const handle = target.cluster.server.fault({
        match: (_info, { username }) => username === target.user && left-- === 0 && target.kill(),
        cut: random() < 0.5 ? 'before' : 'after',
      });
      return {
        end() {
          handle.remove();
          target.restartIfDown();
        },
        get hits() {
          return handle.hits;
        },
      };
    },
  },
  {
    name: 'agent-killed-in-a-mount',
    inject(target, random) {
      let left = between(random, 0, 3);
      let hits = 0;
      target.disk.onChange = () => {
        if (left-- !== 0) return;
        hits++;
        target.kill();
      };
      return {
        end() {
          target.disk.onChange = undefined;
          target.restartIfDown();
        },
        get hits() {
          return hits;
        },
      };
    },
  },
  {
    name: 'agent-killed-in-a-save',
    inject(target, random) {
      const when = random() < 0.5 ? 'before' : 'after';
      let left = between(random, 0, 5);
      let hits = 0;
      target.checkpoints.onSave = (at) => {
        if (at !== when || left-- !== 0) return;
        hits++;
        target.kill();
      };
      return {
        end() {
          target.checkpoints.onSave = undefined;
          target.restartIfDown();
        },
        get hits() {
          return hits;
        },
      };
    },
  },
  {
    name: 'slow-checkpoints',
    inject({ checkpoints }, random) {
      const before = checkpoints.hits;
      checkpoints.slowMs = between(random, 100, 20_000);
      return {
        end() {
          checkpoints.slowMs = 0;
        },
        get hits() {
          return checkpoints.hits - before;
        },
      };
    },
  },
  {
    name: 'agent-restart',
    inject(target) {
      target.restart();
      return once();
    },
  },
  {
    name: 'api-outage',
    inject({ node }) {
      node.partition('refused');
      return once(() => node.heal());
    },
  },
  {
    name: 'api-silence',
    inject({ node }) {
      node.partition('silent');
      return once(() => node.heal());
    },
  },
  apiFault('api-error', (random) => ({ status: pick(random, [500, 503, 504, 429]) })),
  apiFault('api-conflict', () => ({ status: 409, match: ({ verb }) => verb === 'patch' || verb === 'update' })),
  {
    name: 'api-watch-expired',
    inject({ cluster, node }) {
      const handle = cluster.server.fault({ times: Number.POSITIVE_INFINITY, status: 410, match: { verb: 'watch' } });
      // Breaks the watches, so that the client starts new ones.
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
    inject({ node, disk }) {
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
    inject({ node }) {
      node.pressure({ memory: '99.9%' });
      return once(() => node.pressure({ memory: '0' }));
    },
  },
  {
    name: 'slow-volumes',
    inject({ disk }, random) {
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
    name: 'device-plugin-down',
    inject({ devices }) {
      devices.setRunning(false);
      return once(() => devices.setRunning(true));
    },
  },
  {
    name: 'device-plugin-slow',
    inject({ devices }, random) {
      devices.slowMs = between(random, 500, 60_000);
      return once(() => {
        devices.slowMs = 0;
      });
    },
  },
  {
    name: 'device-unhealthy',
    inject({ devices }, random) {
      const id = pick(random, devices.ids);
      devices.setHealthy(id, false);
      return once(() => devices.setHealthy(id, true));
    },
  },
  {
    name: 'clock-jump',
    inject({ cluster, book }, random) {
      book.era++;
      // Jumps back by an hour are excluded: a kubelet's back-offs, which count from a container's termination, would last an hour longer.
      cluster.clock.jump(pick(random, [-60_000, -5_000, -500, 500, 5_000, 60_000, 3_600_000]));
      return once();
    },
  },
  {
    name: 'container-killed',
    inject({ node }, random) {
      const running = node.runtime.containers().filter(({ state }) => state === 'running');
      if (running.length === 0) return { end: nothing, hits: 0 };
      node.runtime.kill(pick(random, running).id, pick(random, [0, 1, 137]), random() < 0.3 ? 'OOMKilled' : undefined);
      return once();
    },
  },
  {
    name: 'sandbox-killed',
    inject({ node }, random) {
      const ready = node.runtime.sandboxes().filter((sandbox) => sandbox.ready);
      if (ready.length === 0) return { end: nothing, hits: 0 };
      node.runtime.killSandbox(pick(random, ready).id);
      return once();
    },
  },
];
