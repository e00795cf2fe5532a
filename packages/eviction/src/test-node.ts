import type { Clock, EventRecorder, FsStats, Logger, Pod, PodSpec, PodStats, Summary } from '@nodeagent/api';
import { createEvictionManager, type EvictionManager } from './eviction-manager.js';
import type { EvictionKill, EvictionManagerOptions } from './options.js';

export const mib = 1n << 20n;
const gib = 1n << 30n;

/** Recording ports with which a test observes the manager. */
export interface TestTools {
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
}

/** For this package's tests: a node whose stats the test sets, with a record of the actions on it. */
export interface TestNode<T extends TestTools = TestTools> {
  manager: EvictionManager;
  tools: T;
  /** What is left, in MiB of 1000; nodefs and imagefs in GiB of 100; processes of 1000. */
  left: { memory: bigint; nodefs: bigint; imagefs: bigint; pids: bigint };
  /** MiB of memory by pod; a pod that is not in it has no stats. */
  use: Map<string, bigint>;
  /** Further stats by pod. */
  stats: Map<string, Partial<PodStats>>;
  pods: Pod[];
  kills: { name: string; grace: number }[];
  /** Replaces the summary. */
  onSummary: ((signal: AbortSignal) => Promise<Summary | undefined>) | undefined;
  /** Fixed time of the stats in milliseconds since 1970. */
  statsTime: number | undefined;
  /** Number of summary calls. */
  asked: number;
}

/** A pod in the namespace `default`, with its name as uid. */
export const testPod = (name: string, { annotations, ...spec }: Partial<PodSpec> & { annotations?: Record<string, string> } = {}): Pod => ({
  metadata: { name, namespace: 'default', uid: name, ...(annotations && { annotations }) },
  spec: { containers: [{ name: 'main', image: 'i' }], terminationGracePeriodSeconds: 30, ...spec },
});

export const requesting = (name: string, memory: string, priority?: number): Pod =>
  testPod(name, {
    containers: [{ name: 'main', image: 'i', resources: { requests: { memory } } }],
    ...(priority !== undefined && { priority }),
  });

export type TestNodeOptions = Partial<EvictionManagerOptions> & { pods?: Pod[] };

export function createTestNode<T extends TestTools>(tools: T, { pods = [], ...options }: TestNodeOptions = {}): TestNode<T> {
  const node: TestNode<T> = {
    tools,
    left: { memory: 500n, nodefs: 50n, imagefs: 50n, pids: 500n },
    use: new Map(),
    stats: new Map(),
    pods,
    kills: [],
    onSummary: undefined,
    statsTime: undefined,
    asked: 0,
    manager: undefined as never,
  };
  node.manager = createEvictionManager({
    nodeName: 'n1',
    summary: {
      async summary({ signal }) {
        node.asked++;
        return (await node.onSummary?.(signal)) ?? summaryOf(node);
      },
    },
    activePods: () => node.pods,
    async killPod(pod: Pod, { gracePeriodOverride }: EvictionKill) {
      node.kills.push({ name: pod.metadata?.name ?? '', grace: gracePeriodOverride });
      node.pods = node.pods.filter((each) => each !== pod);
    },
    ...tools,
    ...options,
  });
  return node;
}

function summaryOf({ tools, left, use, stats, pods, statsTime }: TestNode): Summary {
  const time = new Date(statsTime ?? tools.clock.now()).toISOString();
  const disk = (gibs: bigint): FsStats => ({
    time,
    availableBytes: gibs * gib,
    capacityBytes: 100n * gib,
    inodesFree: 50_000n,
    inodes: 100_000n,
  });
  return {
    node: {
      nodeName: 'n1',
      startTime: time,
      memory: { time, availableBytes: left.memory * mib, workingSetBytes: (1000n - left.memory) * mib },
      fs: disk(left.nodefs),
      runtime: { imageFs: disk(left.imagefs), containerFs: disk(left.imagefs) },
      rlimit: { time, maxpid: 1000n, curproc: 1000n - left.pids },
    },
    pods: pods.flatMap(({ metadata: { name = '' } = {} }) => {
      const used = use.get(name);
      const further = stats.get(name);
      if (used === undefined && further === undefined) return [];
      const memory = { time, workingSetBytes: (used ?? 0n) * mib };
      const podRef = { name, namespace: 'default', uid: name };
      return [{ podRef, startTime: time, containers: [{ name: 'main', startTime: time, memory }], memory, ...further }];
    }),
  };
}
