import {
  type Container,
  type MountedVolume,
  NodeAgentError,
  type Pod,
  type Random,
  type SubPathRequest,
  type VolumeMount,
} from '@nodeagent/api';
import { type EnvironmentVariable, isAbsolute, join, podUid } from '@nodeagent/api/helpers';
import type { Mount, MountPropagation } from '@nodeagent/cri-api';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { PodFiles } from '../files.js';
import { podHostnameAndDomain } from './hostname.js';
import { managedHostsFile, managesHostsFile } from './hosts-file.js';
import { expandSubPathExpr } from './sub-path-expr.js';

export interface MountSources {
  files: PodFiles;
  random: Random;
  podDir(uid: string): string;
  /** '' for none. */
  clusterDomain: string;
  nodeHostsFile: string;
  mountedVolumes(podUid: string): ReadonlyMap<string, MountedVolume>;
  /** Whether SELinux is enabled on the node. Default false. */
  selinux?: boolean;
  prepareSubPath?: ((request: SubPathRequest) => Promise<string>) | undefined;
}

export interface MountInputs {
  podIps: readonly string[];
  environment: readonly EnvironmentVariable[];
  /** References of the images that image volumes mount, by volume. Default none. */
  imageVolumes?: ReadonlyMap<string, string>;
  /** Whether the pod's runtime handler supports recursive read-only mounts. Called only when needed. Default: false. */
  canRecursiveReadOnly?(): Promise<boolean>;
}

export interface ContainerMounts {
  mounts: Mount[];
  /** The volume mounts with a `subPath`, for {@link bindSubPaths}. */
  subPaths: SubPathRequest[];
}

/** A container's mounts: its volumes, `/etc/hosts` and the file for its termination message. Writes the latter two. */
export async function makeMounts(sources: MountSources, pod: Pod, container: Container, inputs: MountInputs): Promise<ContainerMounts> {
  const { podIps, environment, imageVolumes } = inputs;
  const relabel = sources.selinux ? { selinuxRelabel: true } : {};
  const mounts: Mount[] = [];
  const subPaths: SubPathRequest[] = [];
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const image = imageVolumes?.get(mount.name);
    if (image !== undefined) {
      mounts.push(imageMount(mount, image, environment));
      continue;
    }
    const volume = mountedVolume(sources, pod, container, mount);
    const subPath = subPathOf(mount, environment);
    const request = { pod, container, mount, mountIndex: index, volumePath: volume.hostPath, subPath };
    if (subPath !== '') subPaths.push(request);
    const hostPath = subPath === '' ? volume.hostPath : await prepareSubPath(sources, request);
    mounts.push(await volumeMount(sources, mount, { ...volume, hostPath }, inputs));
  }
  const [hostsFile, terminationLog] = await Promise.all([
    managesHostsFile(pod, container, podIps) ? writeHostsFile(sources, pod, podIps) : undefined,
    container.terminationMessagePath ? createTerminationLog(sources, pod, container) : undefined,
  ]);
  if (hostsFile !== undefined) mounts.push({ containerPath: '/etc/hosts', hostPath: hostsFile, ...relabel });
  if (container.terminationMessagePath && terminationLog !== undefined) {
    mounts.push({ containerPath: absolute(container.terminationMessagePath), hostPath: terminationLog, ...relabel });
  }
  return { mounts, subPaths };
}

/** Binds the files and folders that the volumes have now to the paths of the container's mounts: the volumes may have been updated. */
export async function bindSubPaths(sources: MountSources, subPaths: readonly SubPathRequest[]): Promise<void> {
  for (const request of subPaths) await prepareSubPath(sources, request);
}

async function prepareSubPath({ prepareSubPath: prepare }: MountSources, request: SubPathRequest): Promise<string> {
  if (prepare !== undefined) return prepare(request);
  throw configError(`volume mount "${request.mount.name}": subPath is not supported: the option prepareSubPath is missing`);
}

function mountedVolume({ mountedVolumes }: MountSources, pod: Pod, container: Container, { name }: VolumeMount): MountedVolume {
  const volume = mountedVolumes(podUid(pod)).get(name);
  if (volume !== undefined && !volume.block) return volume;
  throw configError(`cannot find volume "${name}" to mount into container "${container.name}"`);
}

async function volumeMount(
  { selinux }: MountSources,
  mount: VolumeMount,
  volume: MountedVolume,
  { canRecursiveReadOnly }: MountInputs,
): Promise<Mount> {
  const { hostPath } = volume;
  const readonly = (mount.readOnly ?? false) || volume.readOnly;
  const recursiveReadOnly = await isRecursiveReadOnly(mount, canRecursiveReadOnly);
  return {
    containerPath: absolute(mount.mountPath),
    hostPath,
    readonly,
    propagation: propagation(mount.mountPropagation),
    ...(recursiveReadOnly && { recursiveReadOnly }),
    ...(selinux && volume.selinuxRelabel && { selinuxRelabel: true }),
  };
}

/** Kubernetes documentation, "Volumes: recursive read-only mounts" (KEP-3857). */
async function isRecursiveReadOnly(mount: VolumeMount, canRecursiveReadOnly: MountInputs['canRecursiveReadOnly']): Promise<boolean> {
  const { name, recursiveReadOnly: mode, readOnly, mountPropagation } = mount;
  if (!mode || mode === 'Disabled') return false;
  const refuse = (why: string) => configError(`volume "${name}" requested recursive read-only mode, but it is ${why}`);
  if (!readOnly) throw refuse('not read-only');
  if (mountPropagation && mountPropagation !== 'None') throw refuse(`not compatible with propagation "${mountPropagation}"`);
  if (mode !== 'IfPossible' && mode !== 'Enabled') throw configError(`unknown recursive read-only mode "${mode}"`);
  const possible = (await canRecursiveReadOnly?.()) ?? false;
  if (mode === 'Enabled' && !possible) throw refuse('not supported by the runtime');
  return possible;
}

/** The mount of an image volume: read-only; the runtime resolves the image. */
function imageMount(mount: VolumeMount, image: string, environment: readonly EnvironmentVariable[]): Mount {
  const imageSubPath = subPathOf(mount, environment);
  return {
    containerPath: absolute(mount.mountPath),
    readonly: true,
    propagation: propagation(mount.mountPropagation),
    image: { image },
    ...(imageSubPath !== '' && { imageSubPath }),
  };
}

/** The path inside the volume, with variables expanded; '' for the whole volume. */
function subPathOf(mount: VolumeMount, environment: readonly EnvironmentVariable[]): string {
  const subPath = mount.subPathExpr ? expandSubPathExpr(mount.subPathExpr, environment) : (mount.subPath ?? '');
  checkSubPath(subPath);
  return subPath;
}

function checkSubPath(subPath: string): void {
  if (isAbsolute(subPath)) throw configError(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split('/').includes('..')) {
    throw configError(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  }
}

async function writeHostsFile(sources: MountSources, pod: Pod, podIPs: readonly string[]): Promise<string> {
  const { files, podDir, clusterDomain, nodeHostsFile } = sources;
  const { hostname, domain } = podHostnameAndDomain(pod, clusterDomain);
  const hostAliases = pod.spec?.hostAliases ?? [];
  const nodeHosts = pod.spec?.hostNetwork ? ((await files.readText(nodeHostsFile)) ?? '') : undefined;
  const content = managedHostsFile({ podIPs, hostname, domain, hostAliases, nodeHosts });
  const folder = podDir(podUid(pod));
  const path = join(folder, 'etc-hosts');
  await files.makeDirectory(folder, 0o750);
  await files.writeFile(path, content, 0o644);
  return path;
}

/** Each attempt has a separate file, so the message of an earlier attempt is kept. */
async function createTerminationLog({ files, podDir, random }: MountSources, pod: Pod, container: Container): Promise<string> {
  const folder = join(podDir(podUid(pod)), 'containers', container.name);
  const name = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  await files.makeDirectory(folder, 0o750);
  await files.writeFile(join(folder, name), '', 0o666);
  return join(folder, name);
}

function propagation(mode: string | undefined): MountPropagation {
  switch (mode) {
    case 'HostToContainer':
      return 'PROPAGATION_HOST_TO_CONTAINER';
    case 'Bidirectional':
      return 'PROPAGATION_BIDIRECTIONAL';
    default:
      return 'PROPAGATION_PRIVATE';
  }
}

const absolute = (path: string) => (isAbsolute(path) ? path : join('/', path));

function configError(message: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.createContainerConfig, message);
}
