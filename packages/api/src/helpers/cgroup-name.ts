import { invalidArgument } from '../contracts/arguments.js';
import type { Pod } from '../objects/pod.js';
import { podUid } from './pod.js';
import { podQosClass } from './qos.js';

/** How cgroups are named: `cgroupDriver` of KubeletConfiguration. It must be that of the container runtime. */
export type CgroupDriverName = 'cgroupfs' | 'systemd';

/** A cgroup as the path of components from the root, `['kubepods', 'burstable', 'pod<uid>']`; empty for the root. */
export type CgroupName = readonly string[];

const sliceSuffix = '.slice';

/** A child cgroup. Throws `InvalidArgument` for a component with `/` or `_`, because the systemd form cannot represent them. */
export function childCgroup(parent: CgroupName, ...components: string[]): CgroupName {
  for (const component of components) {
    if (component === '' || /[/_]/.test(component)) throw invalidArgument('component', 'a name without "/" and "_"', component);
  }
  return [...parent, ...components];
}

/** The cgroup of a pod below the root of all pods: guaranteed pods directly, others below their QoS class. */
export function podCgroupName(pod: Pod, podsRoot: CgroupName = ['kubepods']): CgroupName {
  const qos = podQosClass(pod);
  const parent = qos === 'Guaranteed' ? podsRoot : childCgroup(podsRoot, qos.toLowerCase());
  return childCgroup(parent, `pod${podUid(pod)}`);
}

/** The path for the cgroupfs driver: `/kubepods/burstable/pod1-2`. */
export function cgroupfsPath(name: CgroupName): string {
  return `/${name.join('/')}`;
}

/** The path for the systemd driver: `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice`. */
export function systemdPath(name: CgroupName): string {
  const escaped = name.map((component) => component.replaceAll('-', '_'));
  return `/${escaped.map((_, index) => escaped.slice(0, index + 1).join('-') + sliceSuffix).join('/')}`;
}

/** The name of a cgroupfs path. */
export function parseCgroupfsPath(path: string): CgroupName {
  const relative = path.startsWith('/') ? path.slice(1) : path;
  return relative === '' ? [] : relative.split('/');
}

/** The name of a systemd path; only its last element counts. Every `_` is read as `-`. */
export function parseSystemdPath(path: string): CgroupName {
  const trimmed = path.replace(/\/+$/, '');
  const base = trimmed === '' ? (path === '' ? '.' : '/') : trimmed.slice(trimmed.lastIndexOf('/') + 1);
  const unit = base.endsWith(sliceSuffix) ? base.slice(0, -sliceSuffix.length) : base;
  return unit.split('-').map((component) => component.replaceAll('_', '-'));
}
