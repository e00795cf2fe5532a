import type { ObjectMeta, QuantityText, Time } from './meta.js';
import type { NodeSelector, Toleration } from './pod.js';

/** A claim of devices (`resource.k8s.io/v1`, `ResourceClaim`). */
export interface ResourceClaim {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  /** Immutable. */
  spec?: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}

/** Creates a claim for each pod that names it (`resource.k8s.io/v1`, `ResourceClaimTemplate`). */
export interface ResourceClaimTemplate {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: { metadata?: ObjectMeta; spec: ResourceClaimSpec };
}

export interface ResourceClaimSpec {
  devices?: {
    requests?: DeviceRequest[];
    constraints?: DeviceConstraint[];
    config?: ({ requests?: string[] } & DeviceConfiguration)[];
  };
}

/** A request for devices: with exactly one of the two fields. */
export interface DeviceRequest {
  name: string;
  exactly?: ExactDeviceRequest;
  /** Alternatives in order of preference. */
  firstAvailable?: ({ name: string } & Omit<ExactDeviceRequest, 'adminAccess'>)[];
}

export interface ExactDeviceRequest {
  deviceClassName: string;
  selectors?: DeviceSelector[];
  /** `ExactCount` (default) or `All`. */
  allocationMode?: string;
  /** Default 1; not used by `All`. */
  count?: number;
  /** Whether devices in use can be allocated. */
  adminAccess?: boolean;
  tolerations?: Toleration[];
  /** Amounts of devices that several requests share. */
  capacity?: { requests?: Record<string, QuantityText> };
}

/** Selects devices by an expression of CEL. */
export interface DeviceSelector {
  cel?: { expression: string };
}

/** A condition on all devices of some requests: of all requests without `requests`. */
export interface DeviceConstraint {
  requests?: string[];
  /** The fully qualified name of an attribute that has the same value in all devices. */
  matchAttribute?: string;
  /** The fully qualified name of an attribute that has different values in all devices. */
  distinctAttribute?: string;
}

/** The configuration of devices, for their driver. */
export interface DeviceConfiguration {
  opaque?: { driver: string; parameters: unknown };
}

export interface ResourceClaimStatus {
  /** The devices that the scheduler chose; absent while the claim is not allocated. */
  allocation?: AllocationResult;
  /** The consumers that may use the claim. */
  reservedFor?: { apiGroup?: string; resource: string; name: string; uid: string }[];
  /** What drivers report about allocated devices. */
  devices?: AllocatedDeviceStatus[];
}

export interface AllocationResult {
  devices?: {
    results?: AllocatedDevice[];
    config?: ({ source: string; requests?: string[] } & DeviceConfiguration)[];
  };
  /** The nodes where the devices are available. Default: all. */
  nodeSelector?: NodeSelector;
  allocationTimestamp?: Time | null;
}

/** An allocated device. */
export interface AllocatedDevice {
  /** The name of the request; that of an alternative is `request/alternative`. */
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean;
  tolerations?: Toleration[];
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  /** The share of a device that several requests share. */
  shareID?: string;
  consumedCapacity?: Record<string, QuantityText>;
}

export interface AllocatedDeviceStatus {
  driver: string;
  pool: string;
  device: string;
  shareID?: string;
  conditions?: { type: string; status: string; reason: string; message: string; lastTransitionTime: Time | null }[];
}

/** A kind of devices that claims can request (`resource.k8s.io/v1`, `DeviceClass`). */
export interface DeviceClass {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: {
    selectors?: DeviceSelector[];
    config?: DeviceConfiguration[];
    /** The extended resource of pods that stands for a device of the class. */
    extendedResourceName?: string;
  };
}

/** The devices that a driver offers on a node or in a cluster (`resource.k8s.io/v1`, `ResourceSlice`). */
export interface ResourceSlice {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ResourceSliceSpec;
}

/** One of `nodeName`, `nodeSelector`, `allNodes` and `perDeviceNodeSelection` selects the nodes; one of `devices` and `sharedCounters` is set. */
export interface ResourceSliceSpec extends DeviceNodes {
  driver: string;
  pool?: {
    name: string;
    /** Slices of lower generations are obsolete. */
    generation: number;
    /** How many slices of this generation make the pool complete. */
    resourceSliceCount: number;
  };
  /** Whether each device selects its nodes. */
  perDeviceNodeSelection?: boolean;
  devices?: Device[];
  /** Amounts that devices of the pool share. */
  sharedCounters?: { name: string; counters?: Record<string, { value: QuantityText }> }[];
}

/** The nodes that reach a device. */
export interface DeviceNodes {
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
}

/** A device of a pool. */
export interface Device extends DeviceNodes {
  name: string;
  /** By names with the domain of the driver, unless they have another one. */
  attributes?: Record<string, DeviceAttribute>;
  capacity?: Record<string, DeviceCapacityEntry>;
  consumesCounters?: { counterSet: string; counters?: Record<string, { value: QuantityText }> }[];
  taints?: { key: string; value?: string; effect: string; timeAdded?: Time | null }[];
  /** Whether an allocation is limited to the node that was chosen. */
  bindsToNode?: boolean;
  /** Conditions of the device status that must be true before a pod is bound. */
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  /** Whether several requests can share the device. */
  allowMultipleAllocations?: boolean;
}

/** An attribute of a device: with exactly one value. */
export interface DeviceAttribute {
  int?: number;
  bool?: boolean;
  string?: string;
  version?: string;
}

/** An amount of a device, and how much of it a request can have. */
export interface DeviceCapacityEntry {
  value: QuantityText;
  requestPolicy?: {
    default?: QuantityText;
    validValues?: QuantityText[];
    validRange?: { min?: QuantityText; max?: QuantityText; step?: QuantityText };
  };
}
