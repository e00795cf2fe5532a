import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { errorCode, errorMessage } from '@nodeagent/api';
import type { ContainerConfig, Mount, PodSandboxConfig } from '@nodeagent/cri-api';
import { readRootFile } from '@nodeagent/mount-utils';
import { invalidArgument } from '../errors.js';
import type { RunProgram } from '../programs.js';
import type { RuntimeHandler } from '../runtime/runtime-handler.js';
import type { SandboxPaths } from '../sandboxes/sandbox-environment.js';
import { cdiEdits, requestedCdiDevices } from '../spec/cdi/cdi-devices.js';
import type { CdiEdits } from '../spec/cdi/parse-cdi-spec.js';
import { containerSpec } from '../spec/container-spec.js';
import { parseImageProcess } from '../spec/image-process.js';
import type { OciSpec } from '../spec/oci-spec.js';
import { hasPropagation } from '../spec/propagation.js';
import { containerStopSignal } from '../spec/stop-signal.js';
import type { ContainerRecord } from '../state/records.js';
import type { CdiRegistry } from './cdi-registry.js';
import { makeDeclaredVolumes } from './declared-volumes.js';
import { findDevices } from './find-devices.js';
import type { ContainerImage } from './root-file-systems.js';

export interface PlanRequest {
  id: string;
  /** The container's folder. */
  bundle: string;
  config: ContainerConfig;
  sandboxId: string;
  sandbox: PodSandboxConfig;
  paths: SandboxPaths;
  image: ContainerImage;
  /** The mounted root file system. */
  rootPath: string;
  /** The mounted image volumes by their paths in the container. */
  volumes: Readonly<Record<string, string>>;
  /** The first process of the container whose process namespace is joined. */
  targetPid: number | undefined;
  /** The OCI runtime of the sandbox. */
  handler: Pick<RuntimeHandler, 'machine' | 'annotations'>;
}

/** What CreateContainer needs to know. */
export interface PlannedContainer {
  spec: OciSpec;
  stopSignal: number;
  user: ContainerRecord['user'];
}

interface PlanPorts {
  cdi: CdiRegistry;
  run: RunProgram;
}

/** Reads what the specification of a container depends on, then decides it. */
export async function planContainer(request: PlanRequest, { cdi, run }: PlanPorts): Promise<PlannedContainer> {
  const { id, bundle, config, sandbox, sandboxId, paths, rootPath, volumes, targetPid, handler } = request;
  const image = parseImageProcess(request.image.config);
  const [passwd, group] = [await readUsers(rootPath, 'etc/passwd'), await readUsers(rootPath, 'etc/group')];
  const cdiDevices = await editsOf(config, cdi);
  const devicePaths = (config.devices ?? []).map(({ hostPath = '' }) => hostPath);
  const cdiPaths = cdiDevices.flatMap(({ deviceNodes }) => deviceNodes).map(({ hostPath }) => hostPath);
  const seccomp = config.linux?.securityContext?.seccomp;
  const spec = containerSpec({
    id,
    config,
    sandbox,
    sandboxId,
    image,
    rootfs: rootPath,
    users: { passwd, group },
    namespaces: paths.namespaces,
    ...(targetPid !== undefined && { targetPid: `/proc/${targetPid}/ns/pid` }),
    files: paths.files,
    machine: handler.machine,
    passedAnnotations: handler.annotations,
    sources: { ...mountSources((config.mounts ?? []).filter(({ image }) => !image?.image)), ...volumes },
    volumes: await makeDeclaredVolumes({ paths: image.volumes, mounts: config.mounts ?? [], bundle, rootPath, run }),
    ...(hasPropagation(config.mounts ?? []) && { mountinfo: readFileSync('/proc/self/mountinfo', 'utf8') }),
    foundDevices: Object.fromEntries([...devicePaths, ...cdiPaths].map((path) => [path, findDevices(path)])),
    cdi: cdiDevices,
    ...(config.linux?.securityContext?.privileged && { allDevices: findDevices('/dev') }),
    ...(seccomp?.profileType === 'Localhost' && { seccompProfile: readProfile(seccomp.localhostRef ?? '') }),
  });
  const { uid, gid, additionalGids = [] } = spec.process.user;
  return {
    spec,
    stopSignal: containerStopSignal(config, image),
    user: { uid, gid, additionalGids },
  };
}

/** Empty if the image has no such file. */
const readUsers = (rootPath: string, path: string): Promise<string> =>
  readRootFile(rootPath, path).then(
    (text = '') => text,
    (error) => Promise.reject(invalidArgument('image', `cannot read /${path}: ${errorMessage(error)}`)),
  );

async function editsOf(config: ContainerConfig, cdi: CdiRegistry): Promise<CdiEdits[]> {
  const names = requestedCdiDevices(config);
  return names.length === 0 ? [] : cdiEdits(names, await cdi.devices());
}

/**
 * The sources of mounts without symbolic links. A missing folder is created, as Docker and containerd do: the kubelet checks the types of
 * volumes that must exist.
 */
function mountSources(mounts: readonly Mount[]): Record<string, string> {
  return Object.fromEntries(mounts.map(({ containerPath = '', hostPath = '' }) => [containerPath, sourceOf(hostPath)]));
}

function sourceOf(path: string): string {
  if (!isAbsolute(path)) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw invalidArgument('mounts.host_path', `"${path}" cannot be used: ${errorCode(error)}`);
    mkdirSync(path, { recursive: true, mode: 0o755 });
    return realpathSync(path);
  }
}

function readProfile(path: string): string {
  if (!isAbsolute(path)) throw invalidArgument('seccomp.localhost_ref', `"${path}" is not an absolute path`);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw invalidArgument('seccomp.localhost_ref', `"${path}" cannot be read: ${errorCode(error)}`);
  }
}
