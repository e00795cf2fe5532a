import type { Clock, Logger, Startable } from '@nodeagent/api';
import type { AttachmentKey, ResultStores } from './attach/result-cache.js';
import type { NetworkSource } from './network-source.js';
import type { RunCniPlugin } from './plugin/run-plugin.js';
import type { CniAttachment, CniResult } from './types.js';

/** The plugins' programs. */
export interface PluginRunner {
  run: RunCniPlugin;
  /**
   * Waits for the programs that a killed previous process started for these containers, and kills those that do not end. Resolves once none runs.
   */
  endOrphans(containerIds: ReadonlySet<string>, signal?: AbortSignal): Promise<void>;
}

export interface CniOptions extends ResultStores {
  networks: NetworkSource;
  plugins: PluginRunner;
  /** Time limit of one plugin's program in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Maximum number of containers whose plugins run at the same time. Default 16. */
  maxParallel?: number;
  /** Default: the system clock. */
  clock?: Clock;
  logger?: Logger;
}

/** Whether pods can have networks: CRI's condition `NetworkReady`. */
export type NetworkStatus = { ready: true } | { ready: false; reason: 'NetworkPluginNotReady'; message: string };

/**
 * Attaches containers to networks through CNI plugins. Operations on one container run one after the other in the order of the calls, those on
 * others at the same time; `gc` runs alone.
 */
export interface Cni extends Startable {
  /**
   * Calls the plugins of the network with ADD and caches the result. If one fails, calls all with DEL, then rejects with the error of ADD. Rejects
   * with `InvalidAttachment` if the container already has this attachment.
   */
  add(attachment: CniAttachment, signal?: AbortSignal): Promise<CniResult>;
  /**
   * Calls the plugins with DEL, in reverse order, with the configuration and arguments of ADD, whatever the folder has now. Without a cache entry it uses
   * the given ones. Idempotent: succeeds without a network namespace, and if the attachment does not exist. An error keeps the cache entry: call
   * it again.
   */
  del(attachment: CniAttachment, signal?: AbortSignal): Promise<void>;
  /** Rejects if a plugin finds the attachment changed, or with `CniCheckUnavailable`. */
  check(attachment: CniAttachment, signal?: AbortSignal): Promise<void>;
  /** Whether there is a network, and since CNI 1.1 its plugins are ready. */
  status(signal?: AbortSignal): Promise<NetworkStatus>;
  /** The CNI versions that a plugin supports, from its VERSION. */
  pluginVersions(plugin: string, signal?: AbortSignal): Promise<string[]>;
  /**
   * Removes cached attachments that are not valid, then calls the plugins of CNI 1.1 with GC. Leaves networks with `disableGC` alone. Calls all
   * plugins, then rejects with an `AggregateError` if some failed.
   *
   * @param isValid - called while no other operation runs
   */
  gc(isValid: (attachment: AttachmentKey) => boolean, signal?: AbortSignal): Promise<void>;
  /** The cached attachments, also those whose ADD did not finish; of one container or of all. */
  attachments(containerId?: string): Promise<(AttachmentKey & { netns: string; result?: CniResult })[]>;
  /** Waits for plugins that a killed previous process started. Call it before the first operation. */
  endOrphans(signal?: AbortSignal): Promise<void>;
}
