import {
  abortable,
  type Clock,
  checkOptionNames,
  createRunLoop,
  type Logger,
  type OptionNames,
  type Pod,
  type PodVolumeStats,
  podUid,
  type Random,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
  type VolumeStatsSource,
} from '@nodeagent/api';

export interface VolumeStatsCacheOptions {
  /** Measures a pod's volumes now, which may take long. */
  source: VolumeStatsSource;
  /** The pods that the node has. */
  pods(): Iterable<Pod>;
  /** Time between two looks at which pods there are, and the shortest between two measurements of one, in milliseconds. Default 1 minute; 0 or less: never. */
  volumeStatsAggPeriodMs?: number;
  /** Default: the system's. */
  clock?: Clock;
  /** Default: the system's. */
  random?: Random;
  /** Default: silent. */
  logger?: Logger;
}

const optionNames: OptionNames<VolumeStatsCacheOptions> = {
  source: true,
  pods: true,
  volumeStatsAggPeriodMs: true,
  clock: true,
  random: true,
  logger: true,
};

/** What was last measured of pods' volumes, which takes too long to be done when somebody asks. */
export interface VolumeStatsCache extends Startable {
  /** Undefined before the first measurement, and when the last one is so old that a later one must hang. */
  of(podUid: string): PodVolumeStats | undefined;
}

interface Calculator {
  controller: AbortController;
  ended: Promise<void>;
  last?: { stats: PodVolumeStats; at: number };
}

/** A measurement older than so many periods is told no more: somebody could decide on it. */
const maxAgePeriods = 5;

/**
 * Makes a {@link VolumeStatsCache}: each pod's volumes are measured at once when it appears, and then one to two periods after the last
 * measurement has ended, so that those of many pods spread out. A pod that hangs holds up no other. `volumeStatsAggPeriod` in the
 * kubelet's configuration.
 */
export function createVolumeStatsCache(options: VolumeStatsCacheOptions): VolumeStatsCache {
  checkOptionNames('createVolumeStatsCache', options, optionNames);
  const { source, pods, volumeStatsAggPeriodMs: period = 60_000, clock = systemClock, random = systemRandom } = options;
  const { logger = silentLogger } = options;
  const calculators = new Map<string, Calculator>();

  const calculate = async (calculator: Calculator, uid: string, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        const pod = [...pods()].find((each) => podUid(each) === uid);
        if (pod === undefined) return;
        calculator.last = { stats: await abortable(source.volumeStats(pod, signal), signal), at: clock.monotonic() };
      } catch (error) {
        if (!signal.aborted) logger.warn({ podUID: uid, err: error }, 'no volume stats');
      }
      await clock.sleep(period + random() * period, signal).catch(() => {});
    }
  };
  const begin = (uid: string) => {
    const controller = new AbortController();
    const calculator: Calculator = { controller, ended: Promise.resolve() };
    calculators.set(uid, calculator);
    calculator.ended = calculate(calculator, uid, controller.signal);
  };
  const end = (uid: string, calculator: Calculator) => {
    calculators.delete(uid);
    calculator.controller.abort(new Error('the pod is gone'));
  };

  const loop = createRunLoop(async (signal) => {
    while (period > 0 && !signal.aborted) {
      const uids = new Set([...pods()].map((pod) => podUid(pod)));
      for (const [uid, calculator] of calculators) if (!uids.has(uid)) end(uid, calculator);
      for (const uid of uids) if (!calculators.has(uid)) begin(uid);
      await clock.sleep(period, signal).catch(() => {});
    }
    const last = [...calculators];
    for (const [uid, calculator] of last) end(uid, calculator);
    await Promise.all(last.map(([, { ended }]) => ended));
  });
  return {
    start: loop.start,
    stop: loop.stop,
    of(uid) {
      const last = calculators.get(uid)?.last;
      return last !== undefined && clock.monotonic() - last.at <= maxAgePeriods * period ? last.stats : undefined;
    },
  };
}
