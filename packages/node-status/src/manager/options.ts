import type {
  Clock,
  EventRecorder,
  Informer,
  Logger,
  Node,
  NodeFeatures,
  NodeRuntimeHandler,
  ObjectCreator,
  ObjectGetter,
  ObjectPatcher,
  Random,
} from '@nodeagent/api';
import type { MachineInfo } from '../machine/machine-info.js';
import type { DeviceResources } from '../status/capacity.js';
import type { NodeImage } from '../status/images.js';
import type { NetworkFacts } from '../status/node-addresses.js';
import type { NodeStatusSettings } from './settings.js';

/** The state of the container runtime. Only `refresh` waits for the runtime. */
export interface NodeRuntimeFacts {
  /** `{ type: 'containerd', version: '2.1.9' }`; without a version while the runtime is unreachable. */
  version(): { type: string; version?: string };
  /** Why the runtime cannot run pods; see {@link runtimeErrors}. */
  errors(): readonly string[];
  /** Why pods have no network; see {@link networkErrors}. */
  networkErrors(): readonly string[];
  handlers?(): readonly NodeRuntimeHandler[];
  features?(): NodeFeatures | undefined;
  /** Checks the runtime's status. Called before the first report, and often until the node is ready; may reject. */
  refresh?(signal: AbortSignal): Promise<void>;
}

/** Pressure on the node, as determined by eviction. */
export interface NodePressure {
  isUnderMemoryPressure(): boolean;
  isUnderDiskPressure(): boolean;
  isUnderPIDPressure(): boolean;
}

/** The volumes that must not be detached from the node. */
export interface NodeVolumes {
  /** Whether the volume manager has reconstructed the mounted volumes; `volumesInUse` is not reported before. */
  readonly hasSynced: boolean;
  /** Names of the volumes that are in use. */
  volumesInUse(): readonly string[];
  /** Called with the volumes that the API server has as in use: only these may be mounted. */
  markVolumesAsReportedInUse(names: readonly string[]): void;
}

/** State of the device manager. */
export interface NodeDevices {
  resources(): DeviceResources;
  /** Whether the machine is new, so that its extended resources are unknown until device plugins register again. */
  shouldResetExtendedResources(): boolean;
}

export interface NodeStatusManagerOptions {
  nodeName: string;
  /** Default: the node's name. */
  hostname?: string;
  /** Default: none; the node is neither registered nor reported, as in an agent without a cluster. */
  nodes?: ObjectGetter<Node> & ObjectCreator<Node> & ObjectPatcher<Node>;
  /**
   * Informer of the Node, which saves a call per report. Default: none; the Node is read with a call that the API server may answer from
   * its cache.
   */
  informer?: Pick<Informer<Node>, 'get'>;
  /** Facts of the machine: `createMachineReader` of `@nodeagent/node-status/node`. Read once; retried while it rejects. */
  machine: { info(signal?: AbortSignal): Promise<MachineInfo> };
  network: NetworkFacts;
  runtime: NodeRuntimeFacts;
  /** As Go names it. Default `linux`. */
  operatingSystem?: string;
  /** As Go names it, such as `amd64`: `goArchitecture(process.arch)` of `@nodeagent/node-status/decisions`. */
  architecture: string;
  /** The images on the node, read for each report. Default none. */
  images?(signal: AbortSignal): readonly NodeImage[] | Promise<readonly NodeImage[]>;
  /** Default no pressure. */
  pressure?: NodePressure;
  volumes?: NodeVolumes;
  devices?: NodeDevices;
  storageErrors?(): readonly string[];
  /** `node is shutting down` during a shutdown. Default: none. */
  shutdownError?(): string | undefined;
  /** Features that the node declares to the scheduler, sorted; read for each report. Default none. */
  declaredFeatures?(): readonly string[];
  /** A problem that does not make the node not ready; appended to the Ready condition's message. Default: none. */
  warning?(): string | undefined;
  /** Called with the node's pod CIDRs, comma-separated, when they change. Default: none. */
  updatePodCIDR?(cidrs: string, signal: AbortSignal): Promise<void>;
  /** Called after each registration or re-registration; objects owned by the Node can be created. */
  onRegistered?: () => void;
  /** Called from the second consecutive failed report on, to close connections that may be half-open. */
  onRepeatedHeartbeatFailure?: () => void;
  clock?: Clock;
  random?: Random;
  recorder?: EventRecorder;
  logger?: Logger;
  settings?: NodeStatusSettings;
}
