import { cleanPath, isAbsolute, isPathBelow } from '@nodeagent/api/helpers';
import type { Mount, MountPropagation } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import { type DefaultMountInput, defaultMounts } from './default-mounts.js';
import type { OciRuntimeFeatures } from './machine.js';
import { idMappings } from './namespaces.js';
import type { OciMount } from './oci-spec.js';
import { checkPropagation } from './propagation.js';

/** The files of a pod that all its containers see, as paths on the host. Absent ones are those of the image. */
export interface SandboxFiles {
  /** The folder for /dev/shm: a tmpfs of the pod, or that of the node for a pod in its IPC namespace. */
  shm: string;
  hosts?: string;
  hostname?: string;
  resolvConf?: string;
}

/** What decides the mounts of a container. */
export interface MountInput extends DefaultMountInput {
  mounts: readonly Mount[];
  features: OciRuntimeFeatures;
  files: SandboxFiles;
  /** Whether hosts, hostname and resolv.conf are read-only, as the root file system. */
  readonlyFiles: boolean;
  /**
   * The resolved path on the host by the path in the container, for mounts where it differs from `hostPath`: the target of a symbolic link,
   * the mounted content of an image.
   */
  sources?: Readonly<Record<string, string>>;
  /** The text of /proc/self/mountinfo, for mounts with propagation. Absent: their sources are not checked. */
  mountinfo?: string;
  /** Folders of the host for the volumes of the image, by their paths in the container. A mount of the request replaces one. */
  volumes?: Readonly<Record<string, string>>;
}

/**
 * The mounts of a container, parents before what is below them: the default file systems, the files of the pod, the volumes of the image,
 * and those of the request. Each replaces an earlier one with the same path. If the request has /dev, the defaults below it are left
 * out, because they would change the node's.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a path that is not absolute and for options that exclude each other
 */
export function containerMounts(input: MountInput): OciMount[] {
  const requested = input.mounts.map((mount) => requestedMount(mount, input));
  const volumes = Object.entries(input.volumes ?? {}).map(([path, source]) => bind(cleanPath(path), source, ['rprivate', 'rw']));
  const hasDev = requested.some(({ destination }) => destination === '/dev');
  const defaults = defaultMounts(input).filter(({ destination }) => !(hasDev && isPathBelow(destination, '/dev')));
  const replaced = [...defaults, ...podMounts(input), ...volumes].filter(
    ({ destination }) => !requested.some((mount) => mount.destination === destination),
  );
  return sortMounts([...replaced, ...requested]);
}

/** Parents before what is below them, else in the given order: a later mount would hide what is below its path. */
export const sortMounts = (mounts: readonly OciMount[]): OciMount[] => [...mounts].sort((a, b) => depth(a) - depth(b));

const depth = ({ destination }: OciMount) => (destination === '/' ? 0 : destination.split('/').length);

function podMounts({ files, readonlyFiles }: MountInput): OciMount[] {
  const access = readonlyFiles ? 'ro' : 'rw';
  const texts: [string, string | undefined][] = [
    ['/etc/hosts', files.hosts],
    ['/etc/hostname', files.hostname],
    ['/etc/resolv.conf', files.resolvConf],
  ];
  return [
    ...texts.flatMap(([path, source]) => (source === undefined ? [] : [bind(path, source, ['rprivate', access])])),
    bind('/dev/shm', files.shm, ['rprivate', 'rw']),
  ];
}

const bind = (destination: string, source: string, options: readonly string[]): OciMount => ({
  destination,
  type: 'bind',
  source,
  options: ['rbind', ...options],
});

const propagations: Readonly<Record<MountPropagation, string>> = {
  PROPAGATION_PRIVATE: 'rprivate',
  PROPAGATION_HOST_TO_CONTAINER: 'rslave',
  PROPAGATION_BIDIRECTIONAL: 'rshared',
};

function requestedMount(mount: Mount, { sources = {}, features, mountinfo }: MountInput): OciMount {
  const { containerPath = '', propagation = 'PROPAGATION_PRIVATE', uidMappings = [], gidMappings = [] } = mount;
  const source = sources[containerPath] ?? mount.hostPath ?? '';
  if (!isAbsolute(containerPath)) throw invalidArgument('mounts.container_path', `"${containerPath}" is not an absolute path`);
  if (!isAbsolute(source)) throw invalidArgument('mounts.host_path', `"${source}" of "${containerPath}" is not an absolute path`);
  if (mountinfo !== undefined) checkPropagation(source, propagation, mountinfo);
  if (mount.image !== undefined && !mount.readonly)
    throw invalidArgument('mounts.readonly', `the image at "${containerPath}" must be read-only`);
  if (mount.recursiveReadOnly && (!mount.readonly || propagation !== 'PROPAGATION_PRIVATE')) {
    throw invalidArgument('mounts.recursive_read_only', `"${containerPath}" must be read-only and have private propagation`);
  }
  if ((uidMappings.length === 0) !== (gidMappings.length === 0)) {
    throw invalidArgument('mounts', `"${containerPath}" must map both user ids and group ids`);
  }
  // The mount of an image shows the owners of the user namespace already.
  const mapped = uidMappings.length > 0 && mount.image === undefined;
  if (mapped && !features.idMappedMounts) throw invalidArgument('mounts', `"${containerPath}": the runtime cannot map the ids of mounts`);
  if (mount.recursiveReadOnly && !features.recursiveReadOnlyMounts) {
    throw invalidArgument('mounts.recursive_read_only', `"${containerPath}": the runtime has only read-only mounts that are not recursive`);
  }
  const access = mount.recursiveReadOnly ? ['ro', 'rro'] : [mount.readonly ? 'ro' : 'rw'];
  // The maker of the image gets no rights by it. Its programs run: critest of cri-tools demands it.
  const flags = mount.image === undefined ? [] : ['nosuid', 'nodev'];
  return {
    ...bind(cleanPath(containerPath), source, [propagations[propagation], ...access, ...flags, ...(mapped ? ['idmap'] : [])]),
    ...(mapped && {
      uidMappings: idMappings('mounts.uidMappings', uidMappings),
      gidMappings: idMappings('mounts.gidMappings', gidMappings),
    }),
  };
}
