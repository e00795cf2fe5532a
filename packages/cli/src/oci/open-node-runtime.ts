import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Logger, NodeAgentError, systemClock } from '@nodeagent/api';
import type { Cni } from '@nodeagent/cni';
import { createNetworkFolder, createNodeCni } from '@nodeagent/cni/node';
import { openImageStore, type RegistryConfigPaths } from '@nodeagent/image-store';
import { createNodeMounter, createSharedRoot } from '@nodeagent/mount-utils';
import { createOciRuntime, type OciRuntime, type OciRuntimeOptions } from '@nodeagent/oci-runtime';
import { defaultCniConfigDir, defaultCniPluginDirs } from '../machine/cni-folders.js';
import { findPrograms, rootPath } from '../machine/find-programs.js';
import { defaultNetwork, withDefaultNetwork } from './default-network.js';
import { hasSandboxes, previousProgram, recordProgram } from './oci-state.js';

export interface NodeRuntimeOptions {
  /** Folder of the state. */
  root: string;
  /**
   * A folder around `root` and the images that becomes a shared mount, unless it is one: that of an agent, which would hide the mounts of containers if it
   * did so later.
   */
  sharedRoot: string;
  /** Folder of the images, that of "nodeagent image". */
  imagesRoot: string;
  registries: RegistryConfigPaths;
  /** Path of crun or runc. */
  program: string;
  /** See `OciRuntimeOptions`. */
  handlers?: OciRuntimeOptions['handlers'];
  cgroupDriver?: OciRuntimeOptions['cgroupDriver'];
  cniConfigDir?: string | undefined;
  cniPluginDirs?: readonly string[] | undefined;
  /** Whether pods get a network although the machine has no CNI configuration. A cluster's add-on brings one. */
  hasDefaultNetwork: boolean;
  logger: Logger;
}

/** The part of the runtime that commands use. */
export type NodeRuntime = Pick<OciRuntime, 'runtime' | 'image' | 'stopAll' | 'stop'>;

/**
 * Starts the OCI runtime of this machine, which adopts the containers of the previous run. Rejects with `OTHER_OCI_RUNTIME` if these are
 * of another program, which keeps their state in another form.
 */
export async function openNodeRuntime(options: NodeRuntimeOptions): Promise<NodeRuntime> {
  const { root, sharedRoot, imagesRoot, registries, program, handlers, cgroupDriver, logger } = options;
  const previous = previousProgram(root);
  if (previous !== undefined && hasSandboxes(root) && basename(previous) !== basename(program)) {
    throw new NodeAgentError('OTHER_OCI_RUNTIME', `${root} has pods of ${previous}, which ${program} cannot manage`, {
      hint: `install ${basename(previous)} again, or stop its pods with it`,
    });
  }
  const { runtime, image, start, stop, stopAll } = createOciRuntime({
    root,
    cni: nodeNetworks(options),
    images: ({ clock }) => openImageStore({ root: imagesRoot, registries, clock }),
    runtime: program,
    ...(handlers && { handlers }),
    ...(cgroupDriver && { cgroupDriver }),
    clock: systemClock,
    logger,
  });
  const shared = createSharedRoot({ rootDir: sharedRoot, mounter: createNodeMounter(), logger });
  const close = async () => {
    try {
      await stop();
    } finally {
      await shared.stop();
    }
  };
  try {
    await shared.start();
    for (const folder of [sharedRoot, root]) letUsersThrough(folder);
    await start();
    await recordProgram(root, program);
  } catch (error) {
    await close().catch((err: unknown) => logger.error({ path: root, err }, 'cannot undo a start that failed'));
    throw error;
  }
  return { runtime, image, stopAll, stop: close };
}

/** Users of pods with a user namespace reach their files below, and cannot list the folder. */
function letUsersThrough(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  chmodSync(folder, (statSync(folder).mode & 0o7777) | 0o001);
}

/** The CNI cache is in the state folder, because the machine's has the pods of other runtimes, too. */
function nodeNetworks(options: NodeRuntimeOptions): Cni {
  const { root, cniConfigDir = defaultCniConfigDir, cniPluginDirs = defaultCniPluginDirs, hasDefaultNetwork, logger } = options;
  const ports = { clock: systemClock, logger };
  const configured = createNetworkFolder({ configDir: cniConfigDir, ...ports });
  const networks = hasDefaultNetwork ? withDefaultNetwork(configured, defaultNetwork(networkFacts())) : configured;
  return createNodeCni({ networks, pluginDirs: cniPluginDirs, cacheDir: join(root, 'cni'), ...ports });
}

const networkFacts = () => ({
  routes: readFileSync('/proc/net/route', 'utf8'),
  hasIptables: 'iptables' in findPrograms(['iptables'], rootPath({ env: process.env, isRoot: true })),
});
