import { execFile } from 'node:child_process';
import { mkdir, open, readdir, readFile, realpath, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, NodeAgentError } from '@nodeagent/api';
import { checkContainerId } from '../attach/check-attachment.js';
import { cniErrorCodes } from '../errors.js';
import type { NetworkNamespaces } from '../pod-networks.js';

export interface NetworkNamespacesOptions {
  /** Folder of the namespaces' files. Default `/run/netns`, where ip-netns(8) finds them. */
  folder?: string;
  /** Begins the names of the files, which end with the container's ID. Two programs on a machine need different ones. Default `nodeagent-`. */
  prefix?: string;
  /** Runs a program by its arguments; resolves to its exit code and stderr. Default: `execFile`. */
  run?: (program: string, args: readonly string[], signal?: AbortSignal) => Promise<{ exitCode: number; stderr: string }>;
}

/** The type of the kernel's file system for namespaces: NSFS_MAGIC of linux/magic.h. */
const nsfsMagic = 0x6e736673;
/** A namespace may be bound to a file twice, by a process that was killed meanwhile. */
const maxUnmounts = 8;

/**
 * Network namespaces of this machine. A child process makes each by unshare(1), which binds it to a file and ends. So a killed process of ours
 * leaves a file in the folder, bound or not yet, that `list` returns.
 */
export function createNetworkNamespaces(options: NetworkNamespacesOptions = {}): NetworkNamespaces {
  const { folder = '/run/netns', prefix = 'nodeagent-', run = runProgram } = options;
  let prepared: Promise<void> | undefined;

  const pathOf = (containerId: string) => join(folder, `${prefix}${checkContainerId(containerId)}`);

  /**
   * As ip-netns(8) does: the folder becomes a shared mount, so that namespaces reach other mount namespaces, and before a namespace is bound: a
   * mount on the folder would cover those below it.
   */
  async function prepareFolder(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4]);
    if (mounts.includes(await realpath(folder))) return;
    await runOrThrow(folder, 'mount', ['--rbind', folder, folder]);
    await runOrThrow(folder, 'mount', ['--make-rshared', folder]);
  }

  async function runOrThrow(path: string, program: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
    const { exitCode, stderr } = await run(program, args, signal);
    if (exitCode !== 0) throw failed(path, stderr.trim() || `${program} failed: exit status ${exitCode}`);
  }

  async function find(containerId: string): Promise<string | undefined> {
    const path = pathOf(containerId);
    return (await isNamespace(path)) ? path : undefined;
  }

  async function remove(containerId: string): Promise<void> {
    const path = pathOf(containerId);
    for (let unmounts = 0; ; unmounts++) {
      if (unmounts < maxUnmounts && (await isNamespace(path))) {
        await runOrThrow(path, 'umount', ['--lazy', path]);
        continue;
      }
      try {
        return await unlink(path);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return;
        // It was bound meanwhile, by a child of a killed process.
        if (errorCode(error) !== 'EBUSY' || unmounts >= maxUnmounts) throw failed(path, String(error), error);
      }
    }
  }

  return {
    async create(containerId, signal, existing) {
      const path = pathOf(containerId);
      prepared ??= prepareFolder();
      await prepared.catch((error) => {
        prepared = undefined;
        throw errorCode(error) === cniErrorCodes.namespaceFailed ? error : failed(folder, String(error), error);
      });
      const file = await open(path, 'wx', 0o444).catch((error) => {
        throw failed(path, errorCode(error) === 'EEXIST' ? 'it exists' : String(error), error);
      });
      await file.close();
      const setUpLoopback = ['--', 'ip', 'link', 'set', 'lo', 'up'];
      try {
        if (existing !== undefined) await runOrThrow(path, 'mount', ['--bind', existing, path], signal);
        await runOrThrow(path, existing === undefined ? 'unshare' : 'nsenter', [`--net=${path}`, ...setUpLoopback], signal);
      } catch (error) {
        await remove(containerId);
        throw error;
      }
      return path;
    },
    find,
    remove,
    async list() {
      const names = await readdir(folder).catch((error) => {
        if (errorCode(error) === 'ENOENT') return [];
        throw failed(folder, String(error), error);
      });
      return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    },
  };
}

async function isNamespace(path: string): Promise<boolean> {
  const { type } = await statfs(path).catch(() => ({ type: 0 }));
  return type === nsfsMagic;
}

function failed(path: string, problem: string, cause?: unknown): NodeAgentError {
  const hint =
    process.getuid?.() === 0
      ? 'Network namespaces need CAP_SYS_ADMIN, and the programs unshare, nsenter, mount and umount (util-linux) and ip (iproute2).'
      : 'Network namespaces require root.';
  const message = `network namespace ${path} failed: ${problem}`;
  return new NodeAgentError(cniErrorCodes.namespaceFailed, message, {
    retryable: true,
    hint,
    details: { path },
    ...(cause !== undefined && { cause }),
  });
}

const timeoutMs = 30_000;

const runProgram: NonNullable<NetworkNamespacesOptions['run']> = (program, args, signal) =>
  new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL', ...(signal && { signal }) } as const;
    execFile(program, [...args], options, (error, _stdout, stderr) => {
      if (signal?.aborted) reject(signal.reason);
      else if (error === null) resolve({ exitCode: 0, stderr });
      else
        resolve({
          exitCode: typeof error.code === 'number' ? error.code : -1,
          stderr: stderr || `${program} cannot be run: ${error.code}`,
        });
    });
  });
