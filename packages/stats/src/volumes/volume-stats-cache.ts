import {
  abortable,
  type Clock,
  createAbortController,
  createRunLoop,
  type Logger,
  type Pod,
  type PodVolumeStats,
  type Random,
  type Startable,
  silentLogger,
  systemClock,
  systemRandom,
  type VolumeStatsSource,
} from '@nodeagent/api';
import { completeSettings, type GivenSettings, podUid } from '@nodeagent/api/helpers';
import { volumeStatsSettings } from './settings.js';

export interface VolumeStatsCacheOptions extends GivenSettings<typeof volumeStatsSettings> {
  /** Measures a pod's volumes, which can take long. */
  source: VolumeStatsSource;
  /** The pods of the node. */
  pods(): Iterable<Pod>;
  /** Default: the system's. */
  clock?: Clock;
  /** Default: the system's. */
  random?: Random;
  /** Default: silent. */
  logger?: Logger;
}

/** The last measured stats of the pods' volumes. Measuring takes too long to do it in a request. */
export interface VolumeStatsCache extends Startable {
  /** Undefined before the first measurement, and if the last one is more than five periods old, because a later one must then hang. */
  of(podUid: string): PodVolumeStats | undefined;
}

interface Calculator {
  controller: AbortController;
  ended: Promise<void>;
  last?: { stats: PodVolumeStats; at: number };
}

/** Older measurements are not reported: eviction must not decide on them. */
const maxAgePeriods = 5;

/**
 * Creates a {@link VolumeStatsCache}. It measures a new pod's volumes immediately, and again one to two periods after each measurement, so
 * that the measurements of many pods are spread. Pods are measured concurrently, so a source that hangs delays only its pod.
 * `volumeStatsAggPeriod` in the kubelet's configuration.
 */
export function createVolumeStatsCache(options: VolumeStatsCacheOptions): VolumeStatsCache {
  const { source, pods, clock = systemClock, random = systemRandom } = options;
  const { logger = silentLogger } = options;
  const { volumeStatsAggPeriodMs: period } = completeSettings(volumeStatsSettings, options, '');
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
    // One listener a volume.
    const controller = createAbortController();
    const calculator: Calculator = { controller, ended: Promise.resolve() };
    calculators.set(uid, calculator);
    calculator.ended = calculate(calculator, uid, controller.signal);
  };
  const end = (uid: string, calculator: Calculator) => {
    calculators.delete(uid);
    calculator.controller.abort(new Error('the pod was removed'));
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
