import {
  type Clock,
  formatTime,
  type Logger,
  type Pod,
  type PodVolumeStats,
  podUid,
  type Volume,
  type VolumeStats,
  type VolumeUsage,
  volumeClaimName,
  volumeDiskUse,
} from '@nodeagent/api';
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

/** Measures the pod's mounted volumes in parallel; leaves out those that cannot be measured. */
export async function measurePodVolumes(
  { desired, actual }: VolumeStates,
  pod: Pod,
  { clock, logger, signal }: { clock: Pick<Clock, 'now'>; logger: Logger; signal: AbortSignal },
): Promise<PodVolumeStats> {
  const uid = podUid(pod);
  const names = desired.volumeNamesOfPod(uid);

  async function measure(volume: Volume): Promise<VolumeStats[]> {
    const mount = actual.podMount(uid, names.get(volume.name) ?? '');
    const measured = mount?.mounter ?? mount?.mapper;
    if (mount?.state !== 'VolumeMounted' || measured?.usage === undefined) return [];
    try {
      return [volumeStatsOf(pod, volume, await measured.usage(signal), clock.now())];
    } catch (error) {
      signal.throwIfAborted();
      logger.debug({ podUID: uid, volume: volume.name, err: error }, 'could not measure the volume');
      return [];
    }
  }

  signal.throwIfAborted();
  const volumes = pod.spec?.volumes ?? [];
  const measured = await Promise.all(volumes.map(measure));
  const statsOf = (ephemeral: boolean) =>
    volumes.flatMap((volume, index) => ((volumeDiskUse(volume) === 'pod') === ephemeral ? (measured[index] ?? []) : []));
  return { ephemeral: statsOf(true), persistent: statsOf(false) };
}
