import { createReadStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openImageStore } from '@nodeagent/image-store';
import { buildBusyboxImage } from '../../tests/support/containerd/busybox-image.js';
import { startContainerd } from '../../tests/support/containerd/containerd.js';
import type { ContainerdBinaries } from '../../tests/support/containerd/provide-containerd.js';
import { makePrivateFolder } from '../../tests/support/runtimes/private-folder.js';
import { testImage } from '../../tests/support/runtimes/private-runtime.js';

/** The container runtime of an agent that is measured. */
export interface BenchRuntime {
  /** The agent's `containerRuntimeEndpoint`. */
  readonly endpoint: string;
  /** Its daemon; undefined if the agent runs containers itself. */
  readonly daemon?: number;
  /** The file that the daemon logs to. */
  readonly daemonLog?: string;
  /** What is to start the agent, with its arguments. */
  readonly prefix: readonly string[];
  /** Puts the image of the pods where the agent with this root folder finds it. */
  prepare(rootDir: string): Promise<void>;
  cleanup(): Promise<void>;
}

export async function openContainerd(binaries: ContainerdBinaries): Promise<BenchRuntime> {
  const { endpoint, cleanup } = await startContainerd(binaries);
  return { endpoint, daemon: daemonOf(endpoint), daemonLog: logOf(endpoint), prefix: [], prepare: async () => {}, cleanup };
}

const cniFolder = '/etc/cni/net.d';
const hybrid = '/sys/fs/cgroup/unified';
/** In a mount namespace for the agent alone: the network of the benchmark, and no hierarchy that crun refuses. */
const mounts = `mount --bind "$1" ${cniFolder} && { umount ${hybrid} 2>/dev/null; shift; exec "$@"; }`;

/** The OCI runtime in the agent's process, by crun. */
export async function openOciRuntime(): Promise<BenchRuntime> {
  const { work, network, release } = await makePrivateFolder();
  mkdirSync(cniFolder, { recursive: true });
  return {
    endpoint: 'oci',
    prefix: ['unshare', '--mount', '--propagation=private', '--', 'sh', '-c', mounts, 'sh', network],
    async prepare(rootDir) {
      const folder = mkdtempSync(join(work, 'image-'));
      const images = await openImageStore({ root: join(rootDir, 'images') });
      await images.import(createReadStream(buildBusyboxImage(folder, testImage, ['sh'])));
      await images.unpack(testImage);
      await images.close();
      rmSync(folder, { recursive: true });
    },
    cleanup: release,
  };
}

/** The log beside the daemon's socket. */
const logOf = (endpoint: string) => endpoint.replace('unix://', '').replace(/[^/]*$/, 'containerd.log');

/** The process whose configuration lies beside its socket. */
export function daemonOf(endpoint: string): number {
  const config = endpoint.replace('unix://', '').replace(/[^/]*$/, 'config.toml');
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Number(pids.find((pid) => argumentsOf(pid).includes(config) && argumentsOf(pid)[0]?.endsWith('/containerd')));
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
