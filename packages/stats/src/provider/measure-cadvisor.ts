import type { CgroupReader } from '../cgroup/cgroup-reader.js';
import type { MeasuredCgroup } from '../metrics/container-metrics.js';
import type { PodEntry } from '../summary/pod-entries.js';

type Labels = MeasuredCgroup['labels'];

/**
 * Measures all cgroups of the cAdvisor metrics: the root, system containers, pods, their sandboxes (which have the network) and their
 * containers. Omits vanished ones.
 */
export function measureCadvisor(
  pods: readonly PodEntry[],
  systemPaths: readonly string[],
  reader: Pick<CgroupReader, 'find' | 'sample' | 'createdAt' | 'processes' | 'interfaces'>,
): MeasuredCgroup[] {
  const measured: MeasuredCgroup[] = [];
  const add = (path: string, labels: Partial<Labels>, interfaces?: MeasuredCgroup['interfaces']) => {
    const sample = reader.sample(path, { processes: true, detail: true });
    if (sample === undefined) return;
    const all = { container: '', id: path, image: '', name: '', namespace: '', pod: '', ...labels };
    measured.push({ labels: all, sample, createdAt: reader.createdAt(path), interfaces });
  };
  add('/', {}, reader.interfaces());
  for (const path of systemPaths) add(path, {});
  const paths = reader.find(pods.flatMap(({ sandboxIds, containers }) => [...sandboxIds, ...containers.map(({ id }) => id)]));
  for (const { podRef, sandboxIds, containers } of pods) {
    const { name: pod, namespace, uid } = podRef;
    const podPath = paths.pods.get(uid);
    if (podPath !== undefined) add(podPath, { pod, namespace });
    for (const id of sandboxIds) {
      const path = paths.containers.get(id);
      const pid = path === undefined ? undefined : reader.processes(path)[0];
      if (path !== undefined) add(path, { pod, namespace, name: id }, pid === undefined ? undefined : reader.interfaces(pid));
    }
    for (const { id, name, image = '' } of containers) {
      const path = paths.containers.get(id);
      if (path !== undefined) add(path, { pod, namespace, name: id, container: name, image });
    }
  }
  return measured;
}
