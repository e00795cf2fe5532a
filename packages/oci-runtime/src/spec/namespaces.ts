import type { IDMapping, NamespaceOption, UserNamespace } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import type { OciIdMapping, OciNamespace } from './oci-spec.js';

/** The files at which the namespaces of a pod are pinned; absent where the pod uses those of the node. */
export interface PodNamespacePaths {
  network?: string;
  ipc?: string;
  uts?: string;
  /** Only of a pod with a shared process namespace. */
  pid?: string;
  user?: string;
}

/** What decides the namespaces of a container. */
export interface NamespaceInput {
  /** Of the sandbox's security context. */
  pod: NamespaceOption;
  /** Of the container's: only `pid` and `targetId` count, and `usernsOptions` must be the pod's or absent. Absent: those of the pod. */
  container?: NamespaceOption;
  privileged: boolean;
  paths: PodNamespacePaths;
  /** The process namespace of the container `targetId`: `/proc/PID/ns/pid`. */
  targetPid?: string;
  cgroupVersion: 1 | 2;
}

/**
 * The namespaces of a container: network, IPC, host name and users are those of its pod, mounts are its own, and processes as its own
 * options demand. A cgroup namespace hides the node's hierarchy on cgroup v2, but not from a privileged container. CRI, `NamespaceOption`.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT if a namespace that is needed has no path
 */
export function containerNamespaces({ pod, container = pod, privileged, paths, targetPid, cgroupVersion }: NamespaceInput): OciNamespace[] {
  const namespaces: OciNamespace[] = [{ type: 'mount' }];
  const join = (type: OciNamespace['type'], path: string | undefined) => {
    if (path === undefined) throw invalidArgument('namespace_options', `the pod has no ${type} namespace`);
    namespaces.push({ type, path });
  };
  if (!isNode(pod.network)) join('network', paths.network);
  if (!isNode(pod.network)) join('uts', paths.uts);
  if (!isNode(pod.ipc)) join('ipc', paths.ipc);
  if (!isSameUserNamespace(pod, container)) {
    throw invalidArgument('userns_options', 'a container has the user namespace of its pod: both must request the same mode and ids');
  }
  if (hasUserNamespace(pod)) join('user', paths.user);
  if (container.pid === 'CONTAINER') namespaces.push({ type: 'pid' });
  else if (container.pid === 'TARGET') join('pid', targetPid);
  else if (!isNode(container.pid)) join('pid', paths.pid);
  if (cgroupVersion === 2 && !privileged) namespaces.push({ type: 'cgroup' });
  return namespaces;
}

const isNode = (mode: NamespaceOption['pid']) => mode === 'NODE';

/** Whether the pod shares the network of the node, and with it the host name. */
export const usesHostNetwork = ({ network }: NamespaceOption) => isNode(network);

/** Whether a pod has a user namespace: only if the request names one. */
export const hasUserNamespace = ({ usernsOptions }: NamespaceOption) => usernsOptions !== undefined && !isNode(usernsOptions.mode);

/** The ranges of IDs of a pod's user namespace, as the request has them; undefined without one. */
export function userNamespaceIds(pod: NamespaceOption): { uids: IDMapping[]; gids: IDMapping[] } | undefined {
  const { uids = [], gids = [] } = pod.usernsOptions ?? {};
  return hasUserNamespace(pod) ? { uids, gids } : undefined;
}

/** The mappings of a user namespace. */
export interface UserMappings {
  uidMappings: readonly OciIdMapping[];
  gidMappings: readonly OciIdMapping[];
}

/** Whether a container requests what its pod does, or nothing. */
function isSameUserNamespace(pod: NamespaceOption, { usernsOptions: requested = pod.usernsOptions }: NamespaceOption): boolean {
  const textOf = ({ mode = 'POD', uids = [], gids = [] }: UserNamespace) =>
    JSON.stringify([mode, ...[uids, gids].map((ranges) => ranges.map(({ containerId, hostId, length }) => [containerId, hostId, length]))]);
  const none: UserNamespace = { mode: 'NODE' };
  return textOf(pod.usernsOptions ?? none) === textOf(requested ?? none);
}

/**
 * The mappings of a pod's user namespace; undefined without one.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT if one has no ids, or the mode is neither POD nor NODE
 */
export function userMappings(pod: NamespaceOption): UserMappings | undefined {
  if (!hasUserNamespace(pod)) return undefined;
  const { mode = 'POD', uids = [], gids = [] } = pod.usernsOptions ?? {};
  if (mode !== 'POD') throw invalidArgument('userns_options.mode', `must be POD or NODE, not ${mode}`);
  if (uids.length === 0 || gids.length === 0) throw invalidArgument('userns_options', 'must map user ids and group ids');
  return { uidMappings: idMappings('userns_options.uids', uids), gidMappings: idMappings('userns_options.gids', gids) };
}

/** The owner on the machine of files that belong to root in a user namespace; 0 without one, or without root in it. */
export function rootOwner(mappings: UserMappings | undefined): { uid: number; gid: number } {
  const rootOf = (ranges: readonly OciIdMapping[] = []) => ranges.find(({ containerID }) => containerID === 0)?.hostID ?? 0;
  return { uid: rootOf(mappings?.uidMappings), gid: rootOf(mappings?.gidMappings) };
}

/** @throws NodeAgentError CRI_INVALID_ARGUMENT for a range that is empty or exceeds 32 bits */
export function idMappings(field: string, mappings: readonly IDMapping[]): OciIdMapping[] {
  return mappings.map(({ containerId, hostId, length }) => {
    if (length < 1 || containerId + length > 2 ** 32 || hostId + length > 2 ** 32) {
      throw invalidArgument(field, `${length} ids from ${containerId} (container) and ${hostId} (host) are no range of ids`);
    }
    return { containerID: containerId, hostID: hostId, size: length };
  });
}
