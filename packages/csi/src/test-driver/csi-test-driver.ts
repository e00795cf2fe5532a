import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { checkOptionNames, type OptionNames } from '@nodeagent/api';
import {
  type CsiNodeCapability,
  csiNodeService,
  type GrpcStatus,
  type Implementation,
  type PluginServer,
  type PluginService,
  registrationService,
  served,
  servePlugin,
  statusError,
} from '@nodeagent/plugin-api';

/** Options of {@link createCsiTestDriver}. */
export interface CsiTestDriverOptions {
  name: string;
  /** Path of the registration socket, below an agent's `plugins_registry`. */
  registrationSocket: string;
  /** Path of the socket that serves `csi.v1.Node`. */
  socket: string;
  /** Default: `['1.0.0']`. */
  versions?: string[];
  /** Default: STAGE_UNSTAGE_VOLUME, EXPAND_VOLUME and GET_VOLUME_STATS. */
  capabilities?: CsiNodeCapability[];
  /** Default: `node-of-<name>`. */
  nodeId?: string;
  /** Default 0, no limit. */
  maxVolumesPerNode?: bigint;
  topology?: Record<string, string>;
  /** Default: creates folders, and files for raw block devices, in place of mounts. */
  disk?: CsiTestDisk;
  /** The driver's persistent state. Default: kept in this object. */
  memory?: { staged: Map<string, string>; published: Map<string, string> };
  /** Called with each call when it arrives. */
  onCall?(call: CsiCall): void;
}

const optionNames: OptionNames<CsiTestDriverOptions> = {
  name: true,
  registrationSocket: true,
  socket: true,
  versions: true,
  capabilities: true,
  nodeId: true,
  maxVolumesPerNode: true,
  topology: true,
  disk: true,
  memory: { staged: true, published: true },
  onCall: true,
};

/** Makes volumes appear on paths. */
export interface CsiTestDisk {
  /** Idempotent. */
  mount(volume: { volumeId: string; path: string; isBlock: boolean }): void;
  /** Idempotent; keeps the folder or file of the mount. */
  unmount(path: string): void;
}

const folders: CsiTestDisk = {
  mount({ path, isBlock }) {
    if (isBlock) writeFileSync(path, '');
    else mkdirSync(path, { recursive: true });
  },
  unmount: () => {},
};

/** A call that the driver received. */
export interface CsiCall {
  method: keyof typeof csiNodeService;
  request: Readonly<Record<string, unknown>>;
}

/** A fault of a call; injected once by default, or `times` times. */
export interface CsiFault {
  /** Returns this status before the call has an effect or, with `afterwards`, after it. */
  status?: GrpcStatus;
  message?: string;
  afterwards?: boolean;
  /** Does not respond until the caller's deadline. */
  hang?: boolean;
  /** The driver crashes during the call. */
  crash?: boolean;
  times?: number;
}

/**
 * The node service of a CSI driver over real sockets, for tests: creates folders and files where a real one mounts, keeps its staged and
 * published volumes when it crashes, rejects the calls that a driver must reject, and injects faults.
 */
export interface CsiTestDriver {
  /** Serves the sockets; can be called again after `stop` or a crash. */
  start(sockets?: { registrationSocket?: string; socket?: string }): Promise<void>;
  stop(): Promise<void>;
  /** Injects a fault into the next call of the method. */
  fail(method: CsiCall['method'], fault: CsiFault): void;
  /** All calls so far, including failed ones. Contains the secrets of the calls. */
  readonly calls: CsiCall[];
  /** The registration statuses that the agent sent: `registered`, or the error. */
  readonly registrations: string[];
  /** Handles of staged volumes by staging path, of published ones by target path. */
  readonly staged: ReadonlyMap<string, string>;
  readonly published: ReadonlyMap<string, string>;
  /** Whether the driver has "mounted" a volume on the path. */
  isMountPoint(path: string): boolean;
  /** Sizes of expanded volumes, in bytes. */
  readonly sizes: ReadonlyMap<string, bigint>;
  /** Takes effect with the next call. */
  capabilities: CsiNodeCapability[];
  maxVolumesPerNode: bigint;
}

type Node = Implementation<typeof csiNodeService>;

export function createCsiTestDriver(options: CsiTestDriverOptions): CsiTestDriver {
  checkOptionNames('createCsiTestDriver', options, optionNames);
  const { name, versions = ['1.0.0'], nodeId = `node-of-${name}`, topology, disk = folders, onCall = () => {} } = options;
  let { registrationSocket, socket } = options;
  const servers: PluginServer[] = [];
  const faults: { method: CsiCall['method']; fault: CsiFault; left: number }[] = [];
  const calls: CsiCall[] = [];
  const registrations: string[] = [];
  const { staged, published } = options.memory ?? { staged: new Map<string, string>(), published: new Map<string, string>() };
  const sizes = new Map<string, bigint>();

  const can = (capability: CsiNodeCapability) => driver.capabilities.includes(capability);

  function mount(mounts: Map<string, string>, path: string, volumeId: string, isBlock: boolean): void {
    if (volumeId === '' || path === '') throw statusError('InvalidArgument', 'volume ID and path must not be empty');
    const other = mounts.get(path);
    if (other !== undefined && other !== volumeId) throw statusError('AlreadyExists', `${path} has volume ${other}`);
    disk.mount({ volumeId, path, isBlock });
    mounts.set(path, volumeId);
  }

  function unmount(mounts: Map<string, string>, path: string): void {
    disk.unmount(path);
    mounts.delete(path);
  }

  const node: Node = {
    nodeGetInfo: () => ({
      nodeId,
      maxVolumesPerNode: driver.maxVolumesPerNode,
      ...(topology === undefined ? {} : { accessibleTopology: { segments: topology } }),
    }),
    nodeGetCapabilities: () => ({ capabilities: driver.capabilities.map((type) => ({ rpc: { type } })) }),
    nodeStageVolume({ volumeId, stagingTargetPath }) {
      // A block device is staged below the path: the path itself stays a folder.
      mount(staged, stagingTargetPath, volumeId, false);
      return {};
    },
    nodeUnstageVolume({ stagingTargetPath }) {
      unmount(staged, stagingTargetPath);
      return {};
    },
    nodePublishVolume({ volumeId, stagingTargetPath, targetPath, volumeCapability, volumeContext }) {
      const isInline = volumeContext['csi.storage.k8s.io/ephemeral'] === 'true' || volumeId.startsWith('csi-');
      if (can('STAGE_UNSTAGE_VOLUME') && !isInline && staged.get(stagingTargetPath) !== volumeId) {
        throw statusError('FailedPrecondition', `volume ${volumeId} is not staged`);
      }
      mount(published, targetPath, volumeId, volumeCapability?.block !== undefined);
      return {};
    },
    nodeUnpublishVolume({ targetPath }) {
      const isPublished = published.has(targetPath) && existsSync(targetPath);
      unmount(published, targetPath);
      if (!isPublished) return {};
      try {
        rmdirSync(targetPath);
      } catch {
        rmSync(targetPath, { force: true });
      }
      return {};
    },
    nodeExpandVolume({ volumeId, volumePath, capacityRange }) {
      if (!published.has(volumePath) && !staged.has(volumePath)) throw statusError('NotFound', `nothing is mounted on ${volumePath}`);
      sizes.set(volumeId, capacityRange?.requiredBytes ?? 0n);
      return { capacityBytes: capacityRange?.requiredBytes ?? 0n };
    },
    nodeGetVolumeStats({ volumeId, volumePath }) {
      if (published.get(volumePath) !== volumeId) throw statusError('NotFound', `volume ${volumeId} is not on ${volumePath}`);
      const total = sizes.get(volumeId) ?? 1n << 30n;
      return {
        usage: [
          { unit: 'BYTES', total, used: total / 4n, available: total - total / 4n },
          { unit: 'INODES', total: 1000n, used: 10n, available: 990n },
        ],
        ...(can('VOLUME_CONDITION') ? { volumeCondition: { abnormal: false, message: 'as good as new' } } : {}),
      };
    },
  };

  /** Wraps the methods with recording and faults. */
  function withFaults(methods: Node): Implementation<PluginService> {
    const wrapped = Object.entries(methods).map(([key, implementation]) => {
      const method = key as CsiCall['method'];
      const answer = implementation as (request: object, signal: AbortSignal) => object;
      return [
        key,
        async (request: Readonly<Record<string, unknown>>, signal: AbortSignal) => {
          calls.push({ method, request });
          onCall({ method, request });
          const entry = faults.find((candidate) => candidate.method === method);
          if (entry !== undefined && --entry.left === 0) faults.splice(faults.indexOf(entry), 1);
          const fault = entry?.fault ?? {};
          if (fault.crash) void driver.stop();
          if (fault.crash || fault.hang) await aborted(signal);
          const error = fault.status && statusError(fault.status, fault.message ?? 'injected fault');
          if (error !== undefined && !fault.afterwards) throw error;
          const response = answer(request, signal);
          if (error !== undefined) throw error;
          return response;
        },
      ];
    });
    return Object.fromEntries(wrapped);
  }

  const registration: Implementation<typeof registrationService> = {
    getInfo: () => ({ type: 'CSIPlugin', name, endpoint: socket, supportedVersions: versions }),
    notifyRegistrationStatus: ({ pluginRegistered, error }) => {
      registrations.push(pluginRegistered ? 'registered' : error);
      return {};
    },
  };

  const driver: CsiTestDriver = {
    async start(sockets = {}) {
      await driver.stop();
      registrationSocket = sockets.registrationSocket ?? registrationSocket;
      socket = sockets.socket ?? socket;
      servers.push(await servePlugin(socket, [{ service: csiNodeService, implementation: withFaults(node) }]));
      // Last, because the agent may call as soon as it finds the registration socket.
      servers.push(await servePlugin(registrationSocket, [served(registrationService, registration)]));
    },
    async stop() {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
    fail(method, fault) {
      faults.push({ method, fault, left: fault.times ?? 1 });
    },
    calls,
    registrations,
    staged,
    published,
    sizes,
    isMountPoint: (path) => staged.has(path) || published.has(path),
    capabilities: options.capabilities ?? ['STAGE_UNSTAGE_VOLUME', 'EXPAND_VOLUME', 'GET_VOLUME_STATS'],
    maxVolumesPerNode: options.maxVolumesPerNode ?? 0n,
  };
  return driver;
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
