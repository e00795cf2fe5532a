import type { Pod, PodStatus } from '@nodeagent/api';
import type { HealthCheckResult } from './healthz.js';

/** The node's pods. Answers are from memory; what is handed out is not changed. */
export interface NodePods {
  /** The pods that the node shall run, without mirrors of static ones; `/pods` tells them as they are. */
  pods(): readonly Pod[];
  /** A pod's status as the node knows it. Default: the pod's own. */
  podStatus?(pod: Pod): PodStatus | undefined;
  /** A mirror's UID becomes that of its static pod; any other stays. Default: there are no mirrors. */
  translatePodUid?(uid: string): string;
}

/** Which part of a container's logs is wanted. */
export interface LogReadRequest {
  follow?: boolean;
  tailLines?: number;
  limitBytes?: number;
  /** RFC 3339: only lines from then on. */
  since?: string;
  timestamps?: boolean;
  streams: 'All' | 'Stdout' | 'Stderr';
  signal: AbortSignal;
}

/** Reads what a container wrote. `containerId` is `TYPE://ID`, of a status. What it rejects with is told to the client. */
export interface NodeLogs {
  read(containerId: string, request: LogReadRequest): AsyncIterable<Uint8Array>;
}

/** Which streams of a process a client gets. */
export interface RequestedStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/**
 * Where the runtime waits for a client, once and for a short while. All reject with what the client is told: code `CRI_NOT_FOUND` is 404,
 * `CRI_RESOURCE_EXHAUSTED` 429, anything else 500.
 */
export interface NodeStreaming {
  execUrl(pod: Pod, containerName: string, command: readonly string[], streams: RequestedStreams, signal: AbortSignal): Promise<URL>;
  /** The terminal is as the container's spec says, whatever the client asked for. */
  attachUrl(pod: Pod, containerName: string, streams: RequestedStreams, signal: AbortSignal): Promise<URL>;
  portForwardUrl(pod: Pod, ports: readonly number[], signal: AbortSignal): Promise<URL>;
}

/** Runs a command in a container and resolves with its output, both streams together. */
export type RunInContainer = (pod: Pod, containerName: string, command: readonly string[], signal: AbortSignal) => Promise<Uint8Array>;

/** Writes the state of a running container into a file and resolves with its path. `timeoutSeconds` 0 is the runtime's own. */
export type CheckpointContainer = (pod: Pod, containerName: string, timeoutSeconds: bigint, signal: AbortSignal) => Promise<string>;

/** What the node and its pods use, as text that is served as it is. */
export interface NodeStatsPages {
  /** `/stats/summary`: the Summary API's JSON, or its reduced form without file systems, network and volumes. */
  summary(options: { onlyCpuAndMemory: boolean; signal: AbortSignal }): Promise<string>;
  /** `/metrics/cadvisor`. */
  containerMetrics(options: { signal: AbortSignal }): Promise<string>;
  /** `/metrics/resource`. */
  resourceMetrics(options: { signal: AbortSignal }): Promise<string>;
}

/** Checks of health beside `ping`, in their order; asked for each request. */
export type HealthChecks = () => readonly HealthCheckResult[];

/** A pod that runs, as the runtime sees it. */
export interface RunningPod {
  uid: string;
  name: string;
  namespace: string;
  containers: readonly { name: string; image: string }[];
}
