import {
  type CheckpointFile,
  type Clock,
  invalidOption,
  type Logger,
  type MachineTopology,
  type Metrics,
  noMetrics,
  type Pod,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { type DevicePluginConnection, grpcDevicePlugin } from './plugin-connection.js';
import type { ConnectPlugin } from './registration.js';

/** Options of `createDeviceManager`. */
export interface DeviceManagerOptions {
  /** Folder of `kubelet.sock`, the plugins' sockets and the checkpoint; the kubelet's is `/var/lib/kubelet/device-plugins`. */
  pluginDir: string;
  /** The NUMA nodes of the machine. */
  topology: Pick<MachineTopology, 'numaNodes'>;
  /** The active pods of the node: devices of other pods are released. */
  activePods(): readonly Pod[];
  /** Whether containers of a pod that is not active may still run: it keeps its devices. Default: never. */
  couldHaveRunningContainers?(podUID: string): boolean;
  /** Whether all pod sources have reported their pods; until then no device is released. Default: always. */
  sourcesReady?(): boolean;
  /** Whether the container was running when the agent started: until all sources are ready it keeps its devices. Default: never. */
  wasRunning?(podUID: string, containerName: string): boolean;
  /** Called with the UIDs of pods whose devices changed their health. Default: none. */
  healthChanged?(podUIDs: readonly string[]): void;
  /** Accepts registrations of plugins until `close`, and passes them to `connectPlugin`. Default: gRPC on `kubelet.sock`. */
  listen?(connectPlugin: ConnectPlugin): Promise<{ close(): Promise<void> }>;
  /** Connects to a plugin. Default: gRPC on its socket. */
  connect?(socketPath: string): DevicePluginConnection;
  /** Keeps the content of the checkpoint. Default: `kubelet_internal_checkpoint` in `pluginDir`. */
  store?: Pick<CheckpointFile<string>, 'load' | 'save'>;
  /** Timeout of Allocate and GetPreferredAllocation in milliseconds: a plugin that hangs must not stop admission. Default 300000. */
  allocateTimeoutMs?: number;
  clock?: Clock;
  logger?: Logger;
  metrics?: Metrics;
}

/** The options with their defaults. Throws `InvalidOption`. */
export function resolveOptions(options: DeviceManagerOptions) {
  const { pluginDir, activePods, topology } = options;
  if (typeof pluginDir !== 'string' || pluginDir === '') throw invalidOption('pluginDir', 'a path', pluginDir);
  if (typeof activePods !== 'function') throw invalidOption('activePods', 'a function', activePods);
  if (topology === undefined) throw invalidOption('topology', "the machine's topology", topology);
  requirePositive('allocateTimeoutMs', options.allocateTimeoutMs);
  return {
    ...options,
    couldHaveRunningContainers: options.couldHaveRunningContainers ?? (() => false),
    sourcesReady: options.sourcesReady ?? (() => true),
    wasRunning: options.wasRunning ?? (() => false),
    healthChanged: options.healthChanged ?? (() => {}),
    connect: options.connect ?? grpcDevicePlugin,
    allocateTimeoutMs: options.allocateTimeoutMs ?? 300_000,
    clock: options.clock ?? systemClock,
    logger: options.logger ?? silentLogger,
    metrics: options.metrics ?? noMetrics,
  };
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;
