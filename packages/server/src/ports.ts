import type { Pod, PodStatus } from '@nodeagent/api';
import type { HealthCheckResult } from './healthz.js';

/** The node's pods, answered from memory. The server does not change the returned objects. */
export interface NodePods {
  /** The desired pods of the node, without mirror pods; `/pods` serves them unchanged. */
  pods(): readonly Pod[];
  /** A pod's status as the node knows it. Default: the pod's own. */
  podStatus?(pod: Pod): PodStatus | undefined;
  /** Translates a mirror pod's UID to that of its static pod; returns any other UID unchanged. Default: no mirror pods. */
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

/** Reads a container's logs. `containerId` is `TYPE://ID`, as in a status. The client gets the message of a rejection. */
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
 * Returns streaming URLs of the runtime, which serve one client and expire after a short time. The client gets the message of a
 * rejection: with code `CRI_NOT_FOUND` as 404, with `CRI_RESOURCE_EXHAUSTED` as 429, otherwise as 500.
 */
export interface NodeStreaming {
  execUrl(pod: Pod, containerName: string, command: readonly string[], streams: RequestedStreams, signal: AbortSignal): Promise<URL>;
  /** `tty` is that of the container's spec, not of the client's request. */
  attachUrl(pod: Pod, containerName: string, streams: RequestedStreams, signal: AbortSignal): Promise<URL>;
  portForwardUrl(pod: Pod, ports: readonly number[], signal: AbortSignal): Promise<URL>;
}

/** Runs a command in a container and resolves with its output, both streams together. */
export type RunInContainer = (pod: Pod, containerName: string, command: readonly string[], signal: AbortSignal) => Promise<Uint8Array>;

/** Writes the state of a running container into a file and resolves with its path. `timeoutSeconds` 0 is the runtime's own. */
export type CheckpointContainer = (pod: Pod, containerName: string, timeoutSeconds: bigint, signal: AbortSignal) => Promise<string>;

/** The stats endpoints, as response bodies. */
export interface NodeStatsPages {
  /** `/stats/summary`: the Summary API's JSON, or its reduced form without file systems, network and volumes. */
  summary(options: { onlyCpuAndMemory: boolean; signal: AbortSignal }): Promise<string>;
  /** `/metrics/cadvisor`. */
  containerMetrics(options: { signal: AbortSignal }): Promise<string>;
  /** `/metrics/resource`. */
  resourceMetrics(options: { signal: AbortSignal }): Promise<string>;
}

/** Versions of the agent for `/statusz`. */
export interface AgentVersions {
  /** The version of the agent, in any form. */
  binaryVersion: string;
  /** The Kubernetes version that the agent implements, such as `1.36`. Default: not reported. */
  emulationVersion?: string;
}

/** Health checks in addition to `ping` and `threadpool`, in order; evaluated at each request. */
export type HealthChecks = () => readonly HealthCheckResult[];

/** A pod that runs, as the runtime sees it. */
export interface RunningPod {
  uid: string;
  name: string;
  namespace: string;
  containers: readonly { name: string; image: string }[];
}
