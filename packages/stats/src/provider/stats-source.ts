/**
 * The source of pod stats. `cri`: the runtime's containers and stats, with CPU, memory and pressure from cgroups. `cri-pods`: the runtime's
 * sandbox stats. `cgroup`: cgroups for everything except writable layers.
 */
export type StatsSource = 'cri' | 'cri-pods' | 'cgroup';

/** An endpoint with this suffix is CRI-O, whose containers the kubelet measures only from their cgroups. */
const crioSocket = 'run/crio/crio.sock';

/**
 * The source that the kubelet selects for a runtime endpoint; `podAndContainerStatsFromCRI` is its feature gate of that name, which is off
 * by default.
 *
 * @see https://kubernetes.io/docs/reference/instrumentation/cri-pod-container-metrics/
 */
export function chooseStatsSource(runtimeEndpoint: string, { podAndContainerStatsFromCRI = false } = {}): StatsSource {
  if (podAndContainerStatsFromCRI) return 'cri-pods';
  return runtimeEndpoint.endsWith(crioSocket) ? 'cgroup' : 'cri';
}
