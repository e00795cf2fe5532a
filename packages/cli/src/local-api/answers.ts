import type { CountedEvent, PodExplanation, PodView, PullInProgress } from '@nodeagent/core';
import type { EvictionExplanation } from '@nodeagent/eviction';

/** What the agent's own socket answers, as JSON. Times that are numbers are milliseconds since 1970. */
export interface AgentAnswer {
  /** When it was answered, by the agent's clock. */
  now: number;
  node: string;
  /** The runtime's name or endpoint. */
  runtime: string;
  /** Why the runtime cannot be worked with; empty when it can. */
  runtimeErrors: string[];
  /** The API server's URL; absent without a cluster. */
  cluster?: string;
  /** Why the API server cannot be worked with; absent when it can. */
  clusterError?: string;
  podLogsDir: string;
  /** All image pulls, so that a pull's place in the queue can be told. */
  pulls: PullInProgress[];
}

/** `GET /v1/pods` */
export interface PodsAnswer extends AgentAnswer {
  pods: PodView[];
}

/** `GET /v1/pods/{namespace}/{name}` */
export interface PodAnswer extends AgentAnswer, PodView {
  /** Absent for a pod that no worker has taken yet. */
  worker?: PodExplanation;
  /** Oldest first. */
  events: CountedEvent[];
}

/** What something uses now; a figure that is not known is absent. */
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
  /** Absent if no pod ever is evicted. */
  eviction?: EvictionExplanation;
}

/** `POST /v1/pods/{namespace}/{name}/exec?container=NAME&command=WORD&command=WORD...&stdin=1&stdout=1&stderr=1&tty=1` */
export interface ExecAnswer {
  /** Where the runtime waits for one client of the command, for a short while. */
  url: string;
}

export interface ErrorAnswer {
  error: { code: string; message: string };
}
