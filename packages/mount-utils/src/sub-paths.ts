import type { Stats } from 'node:fs';
import { mkdir, open, readdir, realpath, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, type Logger, type Mounter, NodeAgentError, type SubPathRequest, silentLogger } from '@nodeagent/api';
import { handlePath } from '@nodeagent/api/files';
import { podUid, type VolumePaths } from '@nodeagent/api/helpers';
import { mountUtilsErrorCodes } from './errors.js';
import { openSubPath, safeMakeDirectory } from './files/safe-open.js';
import { unlessMissing } from './files/unless-missing.js';
import { createFileSystemProbe, type FileSystemProbe } from './mount/file-system-probe.js';
import { isMountPoint, mountPathOf } from './mount/mounter.js';

/** Prepares `subPath` mounts, safe against links that other containers create. */
export interface SubPaths {
  /**
   * Creates the path as a folder if it is missing, and bind-mounts it to a separate path, to which it resolves. Idempotent for the same mount:
   * a later call binds what the path has become, such as a file of an updated configMap. An update during the call is not an error.
   * Rejects with `SubPathFailed` and the kubelet's message, which shows no paths of the node; the log has the cause.
   */
  prepare(request: SubPathRequest): Promise<string>;
  /** Unmounts and removes the paths of {@link SubPaths.prepare} for a pod's volume. Idempotent. */
  clean(podUid: string, specName: string, signal?: AbortSignal): Promise<void>;
}

export interface SubPathsOptions {
  mounter: Mounter;
  paths: Pick<VolumePaths, 'podSubPaths'>;
  /** Whether file systems answer, checked before the volume is touched. Default: that of the mounter. */
  fileSystems?: Pick<FileSystemProbe, 'requireAnswer'>;
  /** The name of the volume's folders, if it differs from the name in the pod. Default: the name in the pod. */
  specName?(podUid: string, volumeName: string): string | undefined;
  logger?: Logger;
}

/** Maximum number of updates of the volume during one call after which the bind is repeated. */
const maxUpdates = 5;

export function createSubPaths(options: SubPathsOptions): SubPaths {
  return new MountedSubPaths(options);
}

class MountedSubPaths implements SubPaths {
  readonly #mounter: Mounter;
  readonly #paths: SubPathsOptions['paths'];
  readonly #specName: NonNullable<SubPathsOptions['specName']>;
  readonly #fileSystems: Pick<FileSystemProbe, 'requireAnswer'>;
  readonly #logger: Logger;

  constructor(options: SubPathsOptions) {
    const { mounter, paths, specName = () => undefined, logger = silentLogger } = options;
    this.#mounter = mounter;
    this.#paths = paths;
    this.#specName = specName;
    this.#fileSystems = options.fileSystems ?? createFileSystemProbe({ mounter });
    this.#logger = logger;
  }

  async prepare(request: SubPathRequest): Promise<string> {
    const requireAnswer = async () => this.#fileSystems.requireAnswer(await mountPathOf(request.volumePath));
    try {
      await this.#step(`failed to prepare subPath ${subjectOf(request)}`, requireAnswer);
      return await this.#prepareCurrent(request);
    } catch (error) {
      const { cause, message } = error as NodeAgentError;
      this.#logger.error({ err: cause }, message);
      throw error;
    }
  }

  async clean(uid: string, name: string, signal?: AbortSignal): Promise<void> {
    const ofPod = this.#paths.podSubPaths(uid);
    const ofVolume = join(ofPod, name);
    for (const container of await unlessMissing(readdir(ofVolume), [])) {
      const ofContainer = join(ofVolume, container);
      for (const leaf of await unlessMissing(readdir(ofContainer), [])) await this.#unbind(join(ofContainer, leaf), signal);
      await rmdir(ofContainer);
    }
    await removeFolder(ofVolume);
    await removeFolder(ofPod);
  }

  async #bind({ pod, container, mount, mountIndex, volumePath, subPath }: SubPathRequest): Promise<Bound> {
    const uid = podUid(pod);
    const name = this.#specName(uid, mount.name) ?? mount.name;
    const target = join(this.#paths.podSubPaths(uid), name, container.name, String(mountIndex));
    const handle = await openSubPath(volumePath, subPath);
    try {
      const wanted = await stat(handlePath(handle.fd));
      if (await isMountPoint(this.#mounter, target)) {
        const present = await stat(target);
        if (identity(present) === identity(wanted)) return { target, source: identity(wanted) };
        await this.#mounter.unmount(target);
      }
      await mkdir(wanted.isDirectory() ? target : dirname(target), { recursive: true, mode: 0o750 });
      if (!wanted.isDirectory()) await (await open(target, 'a', 0o640)).close();
      const source = `/proc/${process.pid}/fd/${handle.fd}`;
      await this.#mounter.mount({ source, target, options: ['bind'], flags: ['--no-canonicalize'] });
      return { target, source: identity(wanted) };
    } finally {
      await handle.close();
    }
  }

  async #step<T>(message: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      throw new NodeAgentError(mountUtilsErrorCodes.subPathFailed, message, { retryable: true, cause: error });
    }
  }

  async #unbind(path: string, signal?: AbortSignal): Promise<void> {
    while (await isMountPoint(this.#mounter, path)) await this.#mounter.unmount(path, signal);
    const facts = await stat(path);
    await (facts.isDirectory() ? rmdir(path) : unlink(path));
  }

  async #prepareOnce(request: SubPathRequest): Promise<Bound> {
    const { volumePath, subPath } = request;
    await this.#step(`failed to create subPath directory ${subjectOf(request)}`, async () => {
      if (!(await isMissing(join(volumePath, subPath)))) return;
      await safeMakeDirectory(subPath, volumePath, (await stat(volumePath)).mode & 0o7777);
    });
    return this.#step(`failed to prepare subPath ${subjectOf(request)}`, () => this.#bind(request));
  }

  async #prepareCurrent(request: SubPathRequest): Promise<string> {
    const path = join(request.volumePath, request.subPath);
    for (let left = maxUpdates; ; left--) {
      const before = await orUndefined(realpath(path));
      try {
        const { target, source } = await this.#prepareOnce(request);
        const current = await orUndefined(stat(path).then(identity));
        if (left === 0 || current === undefined || current === source) return target;
      } catch (error) {
        if (left === 0 || (await orUndefined(realpath(path))) === before) throw error;
      }
    }
  }
}

const subjectOf = ({ container, mount }: SubPathRequest) => `for volumeMount "${mount.name}" of container "${container.name}"`;

interface Bound {
  target: string;
  /** Device and inode of what is bound. */
  source: string;
}

const identity = ({ dev, ino }: Stats) => `${dev}:${ino}`;

/** Undefined if the path does not exist or cannot be inspected. */
const orUndefined = <T>(promise: Promise<T>): Promise<T | undefined> => promise.catch(() => undefined);

/** False if the path cannot be inspected, such as below a file or in a loop of links: the bind mount then fails with the reason. */
async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: unknown) => errorCode(error) === 'ENOENT',
  );
}

/** Other containers may still use the folder. */
async function removeFolder(path: string): Promise<void> {
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTEMPTY') throw error;
  });
}
