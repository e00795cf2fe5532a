import { mkdirSync, writeFileSync } from 'node:fs';
import {
  type CsiNodeCapability,
  csiNodeService,
  type Implementation,
  type PluginServer,
  registrationService,
  served,
  servePlugin,
} from '@nodeagent/plugin-api';
import { type CallFaults, createCallFaults } from './call-faults.js';
import type { CsiCall, CsiFault, CsiTestDisk } from './driver-types.js';
import { type NodeServiceState, nodeService } from './node-service.js';

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

export function createCsiTestDriver(options: CsiTestDriverOptions): CsiTestDriver {
  return new Driver(options);
}

const folders: CsiTestDisk = {
  mount({ path, isBlock }) {
    if (isBlock) writeFileSync(path, '');
    else mkdirSync(path, { recursive: true });
  },
  unmount: () => {},
};

class Driver implements CsiTestDriver, NodeServiceState {
  readonly calls: CsiCall[] = [];
  readonly registrations: string[] = [];
  readonly staged: Map<string, string>;
  readonly published: Map<string, string>;
  readonly sizes = new Map<string, bigint>();
  readonly nodeId: string;
  readonly topology: Record<string, string> | undefined;
  readonly disk: CsiTestDisk;
  capabilities: CsiNodeCapability[];
  maxVolumesPerNode: bigint;
  readonly #options: CsiTestDriverOptions;
  readonly #faults: CallFaults;
  readonly #servers: PluginServer[] = [];
  #registrationSocket: string;
  #socket: string;

  constructor(options: CsiTestDriverOptions) {
    this.#options = options;
    this.#registrationSocket = options.registrationSocket;
    this.#socket = options.socket;
    this.staged = options.memory?.staged ?? new Map<string, string>();
    this.published = options.memory?.published ?? new Map<string, string>();
    this.nodeId = options.nodeId ?? `node-of-${options.name}`;
    this.topology = options.topology;
    this.disk = options.disk ?? folders;
    this.capabilities = options.capabilities ?? ['STAGE_UNSTAGE_VOLUME', 'EXPAND_VOLUME', 'GET_VOLUME_STATS'];
    this.maxVolumesPerNode = options.maxVolumesPerNode ?? 0n;
    this.#faults = createCallFaults({
      onCall: (call) => {
        this.calls.push(call);
        options.onCall?.(call);
      },
      crash: () => void this.stop(),
    });
  }

  async start(sockets: { registrationSocket?: string; socket?: string } = {}): Promise<void> {
    await this.stop();
    this.#registrationSocket = sockets.registrationSocket ?? this.#registrationSocket;
    this.#socket = sockets.socket ?? this.#socket;
    const implementation = this.#faults.wrap(nodeService(this));
    this.#servers.push(await servePlugin(this.#socket, [{ service: csiNodeService, implementation }]));
    // Last, because the agent may call as soon as it finds the registration socket.
    this.#servers.push(await servePlugin(this.#registrationSocket, [served(registrationService, this.#registration())]));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.close()));
  }

  fail(method: CsiCall['method'], fault: CsiFault): void {
    this.#faults.add(method, fault);
  }

  isMountPoint(path: string): boolean {
    return this.staged.has(path) || this.published.has(path);
  }

  #registration(): Implementation<typeof registrationService> {
    const { name, versions = ['1.0.0'] } = this.#options;
    return {
      getInfo: () => ({ type: 'CSIPlugin', name, endpoint: this.#socket, supportedVersions: versions }),
      notifyRegistrationStatus: ({ pluginRegistered, error }) => {
        this.registrations.push(pluginRegistered ? 'registered' : error);
        return {};
      },
    };
  }
}
