import type { ObjectFieldSelector, ResourceFieldSelector } from './downward-api.js';
import type { IntOrString, LocalObjectReference, ResourceList } from './meta.js';

/** A container of a pod. Init containers with `restartPolicy: Always` are sidecars. */
export interface Container {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: ContainerPort[];
  envFrom?: EnvFromSource[];
  env?: EnvVar[];
  resources?: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[];
  /** Overrides the pod's: `Always` on an init container makes it a sidecar; rules need it set. */
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Lifecycle;
  /** Where the container writes its termination message. Default `/dev/termination-log`. */
  terminationMessagePath?: string;
  /** `File` (default) or `FallbackToLogsOnError`. */
  terminationMessagePolicy?: string;
  /** `Always`, `IfNotPresent` or `Never`. */
  imagePullPolicy?: string;
  securityContext?: SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
}

/** A container added to a running pod for debugging; never restarted. */
export interface EphemeralContainer extends Container {
  targetContainerName?: string;
}

export interface ContainerPort {
  name?: string;
  containerPort: number;
  hostPort?: number;
  hostIP?: string;
  /** `TCP` (default), `UDP` or `SCTP`. */
  protocol?: string;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: EnvVarSource;
}

export interface EnvVarSource {
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  configMapKeyRef?: KeySelector;
  secretKeyRef?: KeySelector;
  fileKeyRef?: FileKeySelector;
}

export interface KeySelector {
  name?: string;
  key: string;
  optional?: boolean;
}

export interface FileKeySelector {
  volumeName: string;
  path: string;
  key: string;
  optional?: boolean;
}

export interface EnvFromSource {
  prefix?: string;
  configMapRef?: { name?: string; optional?: boolean };
  secretRef?: { name?: string; optional?: boolean };
}

export interface ResourceRequirements {
  requests?: ResourceList;
  limits?: ResourceList;
  claims?: { name: string; request?: string }[];
}

export interface ContainerResizePolicy {
  resourceName: string;
  /** `NotRequired` or `RestartContainer`. */
  restartPolicy: string;
}

export interface ContainerRestartRule {
  /** `Restart` or `RestartAllContainers`. */
  action: string;
  exitCodes?: {
    /** `In` or `NotIn`. */
    operator: string;
    values?: number[];
  };
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
  subPathExpr?: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  /** `None` (default), `HostToContainer` or `Bidirectional`. */
  mountPropagation?: string;
}

export interface VolumeDevice {
  name: string;
  devicePath: string;
}

export interface Probe extends ProbeHandler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

export interface ProbeHandler {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  grpc?: GRPCAction;
}

export interface Lifecycle {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
  /** Overrides the image's stop signal (alpha, gate ContainerStopSignals). */
  stopSignal?: string;
}

export interface LifecycleHandler {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  sleep?: { seconds: number };
}

export interface ExecAction {
  command?: string[];
}

export interface HTTPGetAction {
  path?: string;
  port: IntOrString;
  host?: string;
  scheme?: string;
  httpHeaders?: { name: string; value: string }[];
}

export interface TCPSocketAction {
  port: IntOrString;
  host?: string;
}

export interface GRPCAction {
  port: number;
  service?: string;
}

export interface SecurityContext {
  capabilities?: { add?: string[]; drop?: string[] };
  privileged?: boolean;
  seLinuxOptions?: SELinuxOptions;
  windowsOptions?: WindowsSecurityContextOptions;
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
  allowPrivilegeEscalation?: boolean;
  /** `Default` or `Unmasked`. */
  procMount?: string;
  seccompProfile?: LocalProfile;
  appArmorProfile?: LocalProfile;
}

export interface SELinuxOptions {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
}

export interface WindowsSecurityContextOptions {
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  runAsUserName?: string;
  hostProcess?: boolean;
}

/** A seccomp or AppArmor profile. */
export interface LocalProfile {
  /** `RuntimeDefault`, `Unconfined` or `Localhost`. */
  type: string;
  localhostProfile?: string;
}

export type ImagePullSecret = LocalObjectReference;
