import {
  abandonAtDeadline,
  type Clock,
  type Logger,
  type Pod,
  type Volume,
  type VolumeMounter,
  type VolumeStats,
  type VolumeStatsSource,
  type VolumeUsage,
} from '@nodeagent/api';
import { formatTime, podUid, volumeClaimName, volumeDiskUse } from '@nodeagent/api/helpers';
import type { VolumeStates } from '../state/queries.js';

/** The usage of a volume as in the Summary API. */
function volumeStatsOf(pod: Pod, volume: Volume, { condition, ...usage }: VolumeUsage, nowMs: number): VolumeStats {
  const { namespace = '' } = pod.metadata ?? {};
  const claim = volumeClaimName(pod, volume);
  return {
    name: volume.name,
    time: formatTime(nowMs),
    ...usage,
    ...(claim && { pvcRef: { name: claim, namespace } }),
    ...(condition && { volumeHealthStats: { abnormal: condition.abnormal } }),
  };
}

/** Part of the time, as its reciprocal, that measuring one volume may take. */
const timePerMeasurement = 50;
const maxPauseMs = 5 * 60_000;

/** The minimum pause after a measurement of a volume: what took long is measured less often. Bounded, because limits are enforced by measurements. */
export const measurementPause = (tookMs: number): number => Math.min(tookMs * timePerMeasurement, maxPauseMs);

/** After this time a pass continues without a volume that does not answer. */
const answerTimeoutMs = 30_000;
/** Longer than a pause and a measurement; eviction must not decide on older ones. */
const maxAgeMs = 10 * 60_000;

type Measured = Pick<VolumeMounter, 'usage'>;

/** What is known of a mounted volume. */
interface Measurement {
  /** Resolves when the measurement in progress ends, in whatever way. */
  pending?: Promise<void> | undefined;
  last?: { stats: VolumeStats; at: number } | undefined;
  dueAt: number;
  /** Whether the log has that the volume does not answer. */
  isLate: boolean;
}

interface Asked {
  known: Measurement;
  podUID: string;
  /** The volume's name in the pod. */
  volume: string;
}

interface Ports {
  clock: Pick<Clock, 'now' | 'monotonic' | 'setTimeout'>;
  logger: Logger;
}

/**
 * Creates the measurement of a pod's mounted volumes in parallel. It leaves out those that cannot be measured. A volume that does not answer is asked
 * once and reported with its last usage; it delays the others by 30 s, once.
 */
export function createPodVolumeStats({ desired, actual }: VolumeStates, { clock, logger }: Ports): VolumeStatsSource['volumeStats'] {
  const measurements = new WeakMap<Measured, Measurement>();

  function measurementOf(measured: Measured): Measurement {
    const known = measurements.get(measured) ?? { dueAt: clock.monotonic(), isLate: false };
    measurements.set(measured, known);
    return known;
  }

  async function run({ known, podUID, volume }: Asked, measure: () => Promise<VolumeStats>): Promise<void> {
    const began = clock.monotonic();
    try {
      const stats = await measure();
      known.last = { stats, at: clock.monotonic() };
    } catch (error) {
      known.last = undefined;
      logger.debug({ podUID, volume, err: error }, 'could not measure the volume');
    }
    known.pending = undefined;
    known.dueAt = clock.monotonic() + measurementPause(clock.monotonic() - began);
    if (known.isLate) logger.info({ podUID, volume }, 'the volume answers again');
    known.isLate = false;
  }

  /** Waits for the measurements in progress, except for those that are known to be late. */
  async function awaitAnswers(all: readonly Asked[], signal: AbortSignal): Promise<void> {
    const waited = all.filter(({ known }) => known.pending && !known.isLate);
    if (waited.length === 0) return;
    const deadline = { clock, timeoutMs: answerTimeoutMs, signal, error: () => new Error('volumes do not answer') };
    await abandonAtDeadline(deadline, () => Promise.all(waited.map(({ known }) => known.pending))).catch(() => signal.throwIfAborted());
    for (const { known, podUID, volume } of waited) {
      if (!known.pending) continue;
      known.isLate = true;
      logger.warn({ podUID, volume }, 'the volume does not answer: its last usage is reported');
    }
  }

  return async (pod, signal) => {
    const uid = podUid(pod);
    const names = desired.volumeNamesOfPod(uid);

    /** Begins to measure the volume if that is due; undefined if it cannot be measured. */
    function begin(volume: Volume): Asked | undefined {
      const mount = actual.podMount(uid, names.get(volume.name) ?? '');
      const measured = mount?.mounter ?? mount?.mapper;
      if (mount?.state !== 'VolumeMounted' || measured?.usage === undefined) return undefined;
      const known = measurementOf(measured);
      const asked = { known, podUID: uid, volume: volume.name };
      if (!known.pending && clock.monotonic() >= known.dueAt) {
        const usage = measured.usage.bind(measured, signal);
        known.pending = run(asked, async () => volumeStatsOf(pod, volume, await usage(), clock.now()));
      }
      return asked;
    }

    signal.throwIfAborted();
    const volumes = pod.spec?.volumes ?? [];
    const all = volumes.map(begin);
    await awaitAnswers(
      all.flatMap((each) => each ?? []),
      signal,
    );
    const statsOf = (ephemeral: boolean) =>
      volumes.flatMap((volume, index) => {
        const last = all[index]?.known.last;
        if (!last || clock.monotonic() - last.at > maxAgeMs || (volumeDiskUse(volume) === 'pod') !== ephemeral) return [];
        return [last.stats];
      });
    return { ephemeral: statsOf(true), persistent: statsOf(false) };
  };
}
