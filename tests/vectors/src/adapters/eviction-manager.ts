import { type Clock, type EventRecorder, type Pod, type PodStats, type Summary, systemClock } from '@nodeagent/api';
import { createEvictionManager, type EvictionKill } from '@nodeagent/eviction';
import { type Adapter, defineAdapter } from '../adapter.js';
import { firstTreatedThreshold } from '../masks.js';
import { podStats, thresholdsOf } from './eviction.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Recorded = any;

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString();

/** What the manager did: events, kills and calls to free something, in order. */
function recording(killFails: readonly string[] = []) {
  const events: Recorded[] = [];
  const kills: Recorded[] = [];
  const reclaimCalls: string[] = [];
  const recorder: EventRecorder = {
    event: ({ kind, name, uid }, type, reason, message, annotations) =>
      void events.push({ object: `${kind}/${kind === 'Node' ? name : uid}`, type, reason, message, annotations }),
  };
  const killPod = async (pod: Pod, { evict, gracePeriodOverride, podStatusFunc }: EvictionKill) => {
    const { phase, reason, message, conditions = [] } = podStatusFunc({});
    const recorded = conditions.map(({ type, status, reason: why, message: text }) => ({ type, status, reason: why, message: text }));
    const uid = pod.metadata?.uid ?? '';
    kills.push({ uid, gracePeriodOverride, isEvicted: evict, status: { phase, reason, message, conditions: recorded } });
    if (killFails.includes(uid)) throw new Error('the kill fails');
  };
  const reclaim = {
    async containers() {
      reclaimCalls.push('containers');
      throw new Error('dead containers cannot be removed');
    },
    async images() {
      reclaimCalls.push('images');
    },
  };
  const take = () => ({ events: events.splice(0), kills: kills.splice(0), reclaimCalls: reclaimCalls.splice(0) });
  return { recorder, killPod, reclaim, take };
}

function summaryOf(recorded: Recorded, variants: readonly PodStats[]): Summary {
  const time = timeOf(recorded.time);
  const memory = ([available, workingSet]: number[]) => ({
    time,
    availableBytes: BigInt(available ?? 0),
    workingSetBytes: BigInt(workingSet ?? 0),
  });
  const fs = ([available, capacity, inodesFree, inodes]: number[] = []) => ({
    time,
    ...(available !== undefined && {
      availableBytes: BigInt(available),
      capacityBytes: BigInt(capacity ?? 0),
      inodesFree: BigInt(inodesFree ?? 0),
      inodes: BigInt(inodes ?? 0),
    }),
  });
  const { allocatable, pid } = recorded;
  return {
    node: {
      nodeName: 'node-1',
      startTime: time,
      systemContainers: allocatable ? [{ name: 'pods', startTime: time, memory: memory(allocatable) }] : [],
      ...(recorded.memory && { memory: memory(recorded.memory) }),
      fs: fs(recorded.nodefs),
      runtime: { imageFs: fs(recorded.imagefs), containerFs: fs(recorded.containerfs) },
      ...(pid && { rlimit: { time, maxpid: BigInt(pid[0]), curproc: BigInt(pid[1]) } }),
    },
    pods: (recorded.pods ?? []).map((index: number) => variants[index]),
  };
}

async function simulate(input: Recorded) {
  const { recorder, killPod, reclaim, take } = recording(input.killFails ?? []);
  const variants = input.podStatsVariants.map(podStats);
  const evicted = new Set<string | undefined>();
  let step: Recorded;
  let asked = 0;
  const clock: Clock = { ...systemClock, now: () => step.now * 1000, monotonic: () => step.now * 1000 };
  const diskInfo = (answer: boolean) => () => {
    if (step.diskInfoError) throw new Error('no disk info');
    return answer;
  };
  const manager = createEvictionManager({
    nodeName: 'node-1',
    summary: {
      async summary() {
        const isFirst = asked++ === 0;
        if (isFirst ? step.summaryError : step.summaryAfterReclaimError) throw new Error('no summary');
        return summaryOf(isFirst ? step.summary : (step.summaryAfterReclaim ?? step.summary), variants);
      },
    },
    activePods: () => input.pods.filter((pod: Pod) => !evicted.has(pod.metadata?.uid)),
    killPod,
    reclaim,
    fileSystems: { hasDedicatedImageFs: diskInfo(input.dedicatedImageFs), hasDedicatedContainerFs: diskInfo(input.dedicatedContainerFs) },
    thresholds: thresholdsOf(input.thresholds),
    settings: {
      evictionPressureTransitionPeriodMs: input.pressureTransitionPeriodSeconds * 1000,
      evictionMaxPodGracePeriod: input.maxPodGracePeriodSeconds,
      localStorageCapacityIsolation: input.localStorageCapacityIsolation,
    },
    clock,
    recorder,
  });

  const steps: Recorded[] = [];
  for (step of input.steps) {
    asked = 0;
    let pods: Pod[] = [];
    let error: true | undefined;
    try {
      pods = await manager.synchronize();
    } catch {
      error = true;
    }
    for (const pod of pods) evicted.add(pod.metadata?.uid);
    const { thresholds, conditions } = manager.explain();
    steps.push({
      error,
      nodeConditions: conditions.map(({ type }) => type).sort(),
      thresholdsMet: thresholds
        .filter(({ pastGrace }) => pastGrace)
        .map(({ signal, gracePeriodSeconds }) => `${signal}/${gracePeriodSeconds}`)
        .sort(),
      evicted: pods.map(({ metadata }) => metadata?.uid),
      ...take(),
    });
  }
  return { steps };
}

async function localStorage({ pods, stats, dedicatedImageFs }: Recorded) {
  const { recorder, killPod, take } = recording();
  const manager = createEvictionManager({
    nodeName: 'node-1',
    summary: { summary: async () => summaryOf({ time: 0, pods: stats.map((_: unknown, i: number) => i) }, stats.map(podStats)) },
    activePods: () => pods,
    killPod,
    fileSystems: { hasDedicatedImageFs: () => dedicatedImageFs, hasDedicatedContainerFs: () => false },
    thresholds: [],
    recorder,
  });
  const evicted = await manager.synchronize();
  const { events, kills } = take();
  return { evicted: evicted.map(({ metadata }) => metadata?.uid), events, kills };
}

export const evictionManagerAdapters: Adapter[] = [
  defineAdapter('eviction-local-storage', localStorage),
  defineAdapter('eviction-sim', simulate),
  defineAdapter('eviction-sim-disk', simulate),
  defineAdapter('eviction-sim-choices', simulate, { masks: [firstTreatedThreshold] }),
];
