import type { CgroupReader } from '../cgroup/cgroup-reader.js';
import type { MeasuredCgroup } from '../metrics/container-metrics.js';
import type { PodEntry } from '../summary/pod-entries.js';

type Labels = MeasuredCgroup['labels'];

/**
 * Measures all cgroups of the cAdvisor metrics: the root, system containers, pods, their sandboxes (which have the network, unless a runtime
 * has sandboxes without a process) and their containers. Omits vanished ones.
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
  const interfacesIn = (path: string) => {
    const [pid] = reader.processes(path);
    return pid === undefined ? undefined : reader.interfaces(pid);
  };
  add('/', {}, reader.interfaces());
  for (const path of systemPaths) add(path, {});
  const paths = reader.find(pods.flatMap(({ sandboxIds, containers }) => [...sandboxIds, ...containers.map(({ id }) => id)]));
  for (const { podRef, sandboxIds, containers } of pods) {
    const { name: pod, namespace, uid } = podRef;
    const podPath = paths.pods.get(uid);
    const pathsOf = (ids: readonly string[]) => ids.flatMap((id) => paths.containers.get(id) ?? []);
    const [first] = pathsOf(containers.map(({ id }) => id));
    // The network of a sandbox that has no process is that of its containers, and of the pod.
    const networkPath = pathsOf(sandboxIds).length > 0 ? undefined : (podPath ?? first);
    const networkAt = (path: string) => (path === networkPath && first !== undefined ? interfacesIn(first) : undefined);
    if (podPath !== undefined) add(podPath, { pod, namespace }, networkAt(podPath));
    for (const id of sandboxIds) {
      const path = paths.containers.get(id);
      if (path !== undefined) add(path, { pod, namespace, name: id }, interfacesIn(path));
    }
    for (const { id, name, image = '' } of containers) {
      const path = paths.containers.get(id);
      if (path !== undefined) add(path, { pod, namespace, name: id, container: name, image }, networkAt(path));
    }
  }
  return measured;
}
