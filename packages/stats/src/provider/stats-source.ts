/**
 * Where the figures of pods come from: `cri` lists the runtime's containers and stats and takes CPU, memory and pressure from cgroups,
 * `cri-pods` takes all from the runtime's sandbox stats, `cgroup` takes all but writable layers from cgroups.
 */
export type StatsSource = 'cri' | 'cri-pods' | 'cgroup';

/** An endpoint of this ending is CRI-O, whose containers a kubelet measures by their cgroups alone. */
const crioSocket = 'run/crio/crio.sock';

/**
 * The source that a kubelet chooses for a runtime endpoint; `podAndContainerStatsFromCRI` is its feature gate of that name, which is off
 * by default.
 *
 * @see https://kubernetes.io/docs/reference/instrumentation/cri-pod-container-metrics/
 */
export function chooseStatsSource(runtimeEndpoint: string, { podAndContainerStatsFromCRI = false } = {}): StatsSource {
  if (podAndContainerStatsFromCRI) return 'cri-pods';
  return runtimeEndpoint.endsWith(crioSocket) ? 'cgroup' : 'cri';
}
