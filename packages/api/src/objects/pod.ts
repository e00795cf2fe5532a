import type {
  Container,
  EphemeralContainer,
  LocalProfile,
  ResourceRequirements,
  SELinuxOptions,
  WindowsSecurityContextOptions,
} from './container.js';
import type { LabelSelector, LocalObjectReference, ObjectMeta, ResourceList } from './meta.js';
import type { PodStatus } from './pod-status.js';
import type { Volume } from './volume.js';

/** A pod as plain API JSON (`v1`, `Pod`). Immutable once received; make a copy to change it. */
export interface Pod {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PodSpec;
  status?: PodStatus;
}

export interface PodList {
  apiVersion?: string;
  kind?: string;
  metadata?: { resourceVersion?: string; continue?: string };
  items: Pod[];
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  ephemeralContainers?: EphemeralContainer[];
  volumes?: Volume[];
  /** `Always` (default), `OnFailure` or `Never`. */
  restartPolicy?: string;
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  dnsPolicy?: string;
  dnsConfig?: PodDNSConfig;
  nodeSelector?: Record<string, string>;
  nodeName?: string;
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  /** false gives the pod a separate user namespace. */
  hostUsers?: boolean;
  shareProcessNamespace?: boolean;
  securityContext?: PodSecurityContext;
  imagePullSecrets?: LocalObjectReference[];
  hostname?: string;
  hostnameOverride?: string;
  subdomain?: string;
  setHostnameAsFQDN?: boolean;
  affinity?: Affinity;
  schedulerName?: string;
  tolerations?: Toleration[];
  hostAliases?: HostAlias[];
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
  readinessGates?: { conditionType: string }[];
  runtimeClassName?: string;
  enableServiceLinks?: boolean;
  overhead?: ResourceList;
  topologySpreadConstraints?: TopologySpreadConstraint[];
  os?: { name: string };
  schedulingGates?: { name: string }[];
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[];
  /** Pod-level resources. */
  resources?: ResourceRequirements;
}

export interface PodDNSConfig {
  nameservers?: string[];
  searches?: string[];
  options?: { name?: string; value?: string }[];
}

export interface PodSecurityContext {
  seLinuxOptions?: SELinuxOptions;
  windowsOptions?: WindowsSecurityContextOptions;
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  supplementalGroups?: number[];
  /** `Merge` (default) or `Strict`. */
  supplementalGroupsPolicy?: string;
  fsGroup?: number;
  fsGroupChangePolicy?: string;
  sysctls?: { name: string; value: string }[];
  seccompProfile?: LocalProfile;
  appArmorProfile?: LocalProfile;
  seLinuxChangePolicy?: string;
}

export interface HostAlias {
  /** Required, although generated types of older API versions declare it optional. */
  ip?: string;
  hostnames?: string[];
}

export interface Toleration {
  key?: string;
  /** `Equal` (default), `Exists`, `Lt` or `Gt`. */
  operator?: string;
  value?: string;
  /** `NoSchedule`, `PreferNoSchedule`, `NoExecute`, or absent for all. */
  effect?: string;
  tolerationSeconds?: number;
}

export interface Affinity {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[];
}

export interface NodeSelector {
  nodeSelectorTerms?: NodeSelectorTerm[];
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

export interface NodeSelectorRequirement {
  key: string;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`, `Gt` or `Lt`. */
  operator: string;
  values?: string[];
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[];
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey: string;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

export interface TopologySpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: LabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  matchLabelKeys?: string[];
}
