import type { CountedEvent, PodAssignments, PodCgroup, PodExplanation, PodView, PullInProgress } from '@nodeagent/core/node';
import type { EvictionExplanation } from '@nodeagent/eviction';
import type { RejectedManifest } from './rejected-manifests.js';

/** Answers of the agent's local API, as JSON. Numeric times are milliseconds since 1970. */
export interface AgentAnswer {
  /** Time of the answer, by the agent's clock. */
  now: number;
  node: string;
  /** The runtime's name or endpoint. */
  runtime: string;
  /** Why the runtime is not ready; empty when it is. */
  runtimeErrors: string[];
  /** The API server's URL; absent without a cluster. */
  cluster?: string;
  /** Why the API server does not serve the agent; absent when it does. */
  clusterError?: string;
  /** The state of each certificate that the agent rotates, in one line; absent for others. */
  certificates?: { client?: string; serving?: string };
  podLogsDir: string;
  /** All image pulls, for the position of a pull in the queue. */
  pulls: PullInProgress[];
}

/** A pod in a list. */
export interface ListedPod extends PodView {
  /** The containers whose start or image pull waits; absent without any. */
  backOffs?: PodExplanation['backOffs'];
  /** Error of the worker's last sync; absent without one. */
  syncError?: string;
}

/** `GET /v1/pods` */
export interface PodsAnswer extends AgentAnswer {
  pods: ListedPod[];
  /** Manifests that describe no pod that can run; absent without any. */
  rejected?: RejectedManifest[];
}

/** `GET /v1/pods/{namespace}/{name}` */
export interface PodAnswer extends AgentAnswer, PodView {
  /** Absent for a pod without a worker. */
  worker?: PodExplanation;
  /** Absent if the pod has no separate cgroup. */
  cgroup?: PodCgroup;
  /** Absent if the pod has no exclusive CPUs, no assigned memory and no devices. */
  assignments?: PodAssignments;
  /** Oldest first. */
  events: CountedEvent[];
}

/** Current resource usage; unknown values are absent. */
export interface Usage {
  /** Cores times a billion. */
  nanoCores?: number;
  memoryBytes?: number;
  diskBytes?: number;
}

/** `GET /v1/usage` */
export interface UsageAnswer extends AgentAnswer {
  nodeUsage: Usage;
  podUsage: ({ namespace: string; name: string } & Usage)[];
  /** Absent without eviction. */
  eviction?: EvictionExplanation;
}

/** `POST /v1/pods/{namespace}/{name}/exec?container=NAME&command=WORD&command=WORD...&stdin=1&stdout=1&stderr=1&tty=1` */
export interface ExecAnswer {
  /** URL at which the runtime waits briefly for one client of the command. */
  url: string;
}

export interface ErrorAnswer {
  error: { code: string; message: string };
}
