import type { EvictionReserve, NodeAddress, NodeFeatures, NodeRuntimeHandler, ResourceList } from '@nodeagent/api';
import type { MachineInfo } from '../machine/machine-info.js';
import type { DeviceResources } from './capacity.js';
import type { NodeImage } from './images.js';

/** All that a node's status follows from, at one moment. */
export interface NodeStatusFacts {
  nodeName: string;
  operatingSystem: string;
  architecture: string;
  /** Absent if none could be found: those of before stay. */
  addresses?: readonly NodeAddress[];
  /** Absent if the machine could not be looked at. */
  machine?: MachineInfo;
  maxPods: number;
  podsPerCore: number;
  systemReserved?: ResourceList;
  kubeReserved?: ResourceList;
  /** What eviction keeps free: of several for one resource the last counts. */
  evictionReserves?: readonly EvictionReserve[];
  devices?: DeviceResources;
  /** `version` is absent if the runtime did not tell. */
  runtimeVersion: { type: string; version?: string };
  kubeletVersion: string;
  kubeletPort: number;
  images: readonly NodeImage[];
  nodeStatusMaxImages: number;
  /** In any order. */
  runtimeHandlers?: readonly NodeRuntimeHandler[];
  features?: NodeFeatures;
  pressure: { memory: boolean; disk: boolean; pid: boolean };
  /** Why the node cannot run pods. */
  runtimeErrors: readonly string[];
  networkErrors: readonly string[];
  storageErrors: readonly string[];
  shutdownError?: string;
  /** What is wrong but does not keep pods from running. */
  warning?: string;
  localStorageCapacityIsolation: boolean;
  /** Absent as long as the volume manager does not know. */
  volumesInUse?: readonly string[];
  declaredFeatures?: readonly string[];
}
