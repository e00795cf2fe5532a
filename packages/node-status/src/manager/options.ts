import type {
  Clock,
  EventRecorder,
  EvictionReserve,
  Informer,
  Logger,
  Node,
  NodeFeatures,
  NodeRuntimeHandler,
  ObjectCreator,
  ObjectGetter,
  ObjectPatcher,
  Random,
  ResourceList,
  Taint,
} from '@nodeagent/api';
import type { MachineInfo } from '../machine/machine-info.js';
import type { DeviceResources } from '../status/capacity.js';
import type { NodeImage } from '../status/images.js';
import type { NetworkFacts } from '../status/node-addresses.js';

/** What is known of the container runtime. None of it waits for the runtime, except for `refresh`. */
export interface NodeRuntimeFacts {
  /** `{ type: 'containerd', version: '2.1.9' }`; without a version while the runtime does not answer. */
  version(): { type: string; version?: string };
  /** Why the runtime cannot run pods; see {@link runtimeErrors}. */
  errors(): readonly string[];
  /** Why pods have no network; see {@link networkErrors}. */
  networkErrors(): readonly string[];
  handlers?(): readonly NodeRuntimeHandler[];
  features?(): NodeFeatures | undefined;
  /** Asks the runtime how it is. Called before the first report, and often until the node is ready; may reject. */
  refresh?(signal: AbortSignal): Promise<void>;
}

/** Pressure on the node, as eviction sees it. */
export interface NodePressure {
  isUnderMemoryPressure(): boolean;
  isUnderDiskPressure(): boolean;
  isUnderPIDPressure(): boolean;
}

/** The volumes that must not be detached from the node. */
export interface NodeVolumes {
  /** Whether the manager of volumes has looked at what is mounted; nothing is reported before. */
  readonly synced: boolean;
  /** Names of the volumes that are in use. */
  volumesInUse(): readonly string[];
  /** What the API server knows to be in use: only these may be mounted. */
  markVolumesAsReportedInUse(names: readonly string[]): void;
}

/** What a device manager says. */
export interface NodeDevices {
  resources(): DeviceResources;
  /** Whether the machine is another one than before, so that its extended resources are unknown until device plugins are back. */
  shouldResetExtendedResources(): boolean;
}

/** Settings with the names and defaults of KubeletConfiguration and of the kubelet's flags; times in milliseconds. */
export interface NodeStatusSettings {
  /** Default true. */
  registerNode?: boolean;
  /**
   * Registers again when somebody deleted the Node while the agent runs. Default false, as a kubelet: then only a restart does, and
   * reports fail until then.
   */
  registerDeletedNode?: boolean;
  /** Default none. */
  nodeLabels?: Readonly<Record<string, string>>;
  registerWithTaints?: readonly Taint[];
  providerID?: string;
  /** `--cloud-provider=external`. Default false. */
  externalCloudProvider?: boolean;
  /** Default true. */
  enableControllerAttachDetach?: boolean;
  /** `--node-ip`: one address, or one of each family. */
  nodeIPs?: readonly string[];
  /** Default `v1.36.2`: the kubelet whose behaviour this is. */
  kubeletVersion?: string;
  /** Default 10250. */
  port?: number;
  /** Default 110. */
  maxPods?: number;
  /** Default 0: no limit by CPUs. */
  podsPerCore?: number;
  /** Default 50; -1 is all. */
  nodeStatusMaxImages?: number;
  /** Default 10000. */
  nodeStatusUpdateFrequencyMs?: number;
  /** Default 300000, or the update frequency if only that is set. */
  nodeStatusReportFrequencyMs?: number;
  systemReserved?: ResourceList;
  kubeReserved?: ResourceList;
  /** What eviction keeps free: of several for one resource the last counts. */
  evictionReserves?: readonly EvictionReserve[];
  /** Default true. */
  localStorageCapacityIsolation?: boolean;
  /** Features that the node declares to the scheduler, sorted. */
  declaredFeatures?: readonly string[];
  /** Longest time for one call to the API server. Default 10000. */
  callTimeoutMs?: number;
}

export interface NodeStatusManagerOptions {
  nodeName: string;
  /** Default the node's name. */
  hostname?: string;
  /** Without it nothing is registered or reported: an agent without a cluster. */
  nodes?: ObjectGetter<Node> & ObjectCreator<Node> & ObjectPatcher<Node>;
  /** A local copy of the Node, which spares a call a report. Default: the API server is asked, and may answer from its cache. */
  informer?: Pick<Informer<Node>, 'get'>;
  /** What the machine is: {@link createMachineReader}. Read once; again while it rejects. */
  machine: { info(signal?: AbortSignal): Promise<MachineInfo> };
  network: NetworkFacts;
  runtime: NodeRuntimeFacts;
  /** As Go names them. Default `linux`, and what the process runs on. */
  operatingSystem?: string;
  architecture?: string;
  /** The images on the node, asked with each report. Default none. */
  images?(signal: AbortSignal): readonly NodeImage[] | Promise<readonly NodeImage[]>;
  /** Default no pressure. */
  pressure?: NodePressure;
  volumes?: NodeVolumes;
  devices?: NodeDevices;
  storageErrors?(): readonly string[];
  /** `node is shutting down`, while it does. */
  shutdownError?(): string | undefined;
  /** What does not work but keeps no pod from running; appended to the Ready condition's message. */
  warning?(): string | undefined;
  /** Called with the node's pod CIDRs, comma-separated, when they are new. */
  updatePodCIDR?(cidrs: string, signal: AbortSignal): Promise<void>;
  /** Called each time the API server has been given the Node, or had it: what belongs to the Node may start. */
  onRegistered?: () => void;
  /** Called when reporting failed twice and more in a row: time to close connections that may be half-open. */
  onRepeatedHeartbeatFailure?: () => void;
  clock?: Clock;
  random?: Random;
  recorder?: EventRecorder;
  logger?: Logger;
  settings?: NodeStatusSettings;
}
