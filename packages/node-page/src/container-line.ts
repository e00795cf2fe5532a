import {
  type Container,
  type ContainerStateTerminated,
  type ContainerStatus,
  isSidecar,
  type Pod,
  type PodStatus,
  type Probe,
  type ProbeResult,
  type ProbeResults,
  parseTime,
} from '@nodeagent/api';
import type { Level } from './level.js';

/** A container as the page shows it. Times are milliseconds since 1970. */
export interface ContainerLine {
  name: string;
  kind: 'init' | 'sidecar' | 'container' | 'ephemeral';
  image: string;
  level: Level;
  /** `running`, the reason it waits, or how it ended. */
  state: string;
  /** More about it, in the status's words. */
  message?: string;
  /** Since when it runs, or when it ended. */
  since?: number;
  ready: boolean;
  restarts: number;
  /** How the run before this one ended. */
  last?: { text: string; failed: boolean; at?: number };
  probes: ProbeLine[];
}

export interface ProbeLine {
  type: 'startup' | 'readiness' | 'liveness';
  /** `GET :8080 every 10 s`; never a command, a path or a header, which may hold a secret. */
  how: string;
  /** Absent before the first. */
  result?: ProbeResult;
}

/** The pod's containers in the order in which they start. */
export function containerLines(pod: Pod, status: PodStatus, results: ProbeResults): ContainerLine[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const line = (kind: ContainerLine['kind'], statuses: readonly ContainerStatus[] | undefined) => (container: Container) =>
    containerLine(
      container,
      kind,
      statuses?.find(({ name }) => name === container.name),
      results,
    );
  return [
    ...initContainers.map((each) => line(isSidecar(each) ? 'sidecar' : 'init', status.initContainerStatuses)(each)),
    ...containers.map(line('container', status.containerStatuses)),
    ...ephemeralContainers.map(line('ephemeral', status.ephemeralContainerStatuses)),
  ];
}

function containerLine(
  container: Container,
  kind: ContainerLine['kind'],
  status: ContainerStatus | undefined,
  results: ProbeResults,
): ContainerLine {
  const { waiting, running, terminated } = status?.state ?? {};
  const since = parseTime(running?.startedAt ?? terminated?.finishedAt);
  const message = waiting?.message || terminated?.message;
  const last = status?.lastState?.terminated;
  const lastAt = parseTime(last?.finishedAt);
  return {
    name: container.name,
    kind,
    image: container.image ?? '',
    level: levelOf(container, kind, status),
    state: running ? 'running' : terminated ? endText(terminated) : waiting?.reason || (status ? 'waiting' : 'not created yet'),
    ...(message && { message }),
    ...(since !== undefined && { since }),
    ready: status?.ready ?? false,
    restarts: status?.restartCount ?? 0,
    ...(last && { last: { text: endText(last), failed: last.exitCode !== 0, ...(lastAt !== undefined && { at: lastAt }) } }),
    probes: probeLines(container, status?.containerID, results),
  };
}

/** `exited with 137 (OOMKilled)`. */
export function endText({ exitCode, signal, reason }: Pick<ContainerStateTerminated, 'exitCode' | 'signal' | 'reason'>): string {
  const how = signal ? `killed by signal ${signal}` : `exited with ${exitCode}`;
  return reason && reason !== 'Completed' ? `${how} (${reason})` : how;
}

/** What a container waits for in the ordinary course of things. */
const ordinaryWaits = new Set([undefined, '', 'ContainerCreating', 'PodInitializing']);

function levelOf(container: Container, kind: ContainerLine['kind'], status: ContainerStatus | undefined): Level {
  const { running, terminated, waiting } = status?.state ?? {};
  if (terminated) return terminated.exitCode === 0 ? 'done' : 'bad';
  if (!running) return ordinaryWaits.has(waiting?.reason) ? 'busy' : 'bad';
  if (kind === 'init' || status?.started === false) return 'busy';
  return status?.ready === false && container.readinessProbe ? 'warn' : 'ok';
}

function probeLines(container: Container, statusId: string | undefined, results: ProbeResults): ProbeLine[] {
  const id = statusId?.replace(/^.*:\/\//, '');
  const line = (type: ProbeLine['type'], probe: Probe | undefined): ProbeLine[] => {
    if (probe === undefined) return [];
    const result = id === undefined ? undefined : results[type](id);
    return [{ type, how: probeText(probe), ...(result && { result }) }];
  };
  return [
    ...line('startup', container.startupProbe),
    ...line('readiness', container.readinessProbe),
    ...line('liveness', container.livenessProbe),
  ];
}

function probeText({ exec, httpGet, tcpSocket, grpc, periodSeconds = 10 }: Probe): string {
  const how = httpGet
    ? `${httpGet.scheme === 'HTTPS' ? 'HTTPS' : 'HTTP'} GET :${httpGet.port}`
    : tcpSocket
      ? `TCP :${tcpSocket.port}`
      : grpc
        ? `gRPC :${grpc.port}`
        : exec
          ? 'command'
          : 'no handler';
  return `${how} every ${periodSeconds} s`;
}
