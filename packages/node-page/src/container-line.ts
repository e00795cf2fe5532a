import type { Container, ContainerStatus, Pod, PodStatus, Probe, ProbeResult, ProbeResults } from '@nodeagent/api';
import { isSidecar, parseTime } from '@nodeagent/api/helpers';
import { terminationText } from '@nodeagent/pod-view';
import { containerLevel, containerStateText, type Level } from '@nodeagent/pod-view/health';
import { briefError, withoutUids } from '@nodeagent/pod-view/timeline';
import type { PageAssignment } from './options.js';

/** A container on the page. Times are milliseconds since 1970. */
export interface ContainerLine {
  name: string;
  kind: 'init' | 'sidecar' | 'container' | 'ephemeral';
  image: string;
  level: Level;
  /** `running`, the reason it waits, or how it terminated. */
  state: string;
  /** The status's message, without UIDs. */
  message?: string;
  /** The message in short; absent if it is short. */
  brief?: string;
  /** Time of the start, or of the termination. */
  since?: number;
  ready: boolean;
  restarts: number;
  /** How the previous instance terminated. */
  last?: { text: string; failed: boolean; at?: number };
  /** Its CPUs, memory and devices: `CPUs 2-3`, `gpu0, gpu1 unhealthy (example.com/gpu)`. */
  assigned: string[];
  probes: ProbeLine[];
}

export interface ProbeLine {
  type: 'startup' | 'readiness' | 'liveness';
  /** `GET :8080 every 10 s`; never a command, path or header, which may contain a secret. */
  how: string;
  /** Absent before the first result. */
  result?: ProbeResult;
}

/** The pod's containers in the order of their start. */
export function containerLines(
  pod: Pod,
  status: PodStatus,
  results: ProbeResults,
  assignments: readonly PageAssignment[] = [],
): ContainerLine[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const line = (kind: ContainerLine['kind'], statuses: readonly ContainerStatus[] | undefined) => (container: Container) =>
    containerLine(
      container,
      kind,
      statuses?.find(({ name }) => name === container.name),
      results,
      assignments.find(({ containerName }) => containerName === container.name),
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
  assignment: PageAssignment | undefined,
): ContainerLine {
  const { waiting, running, terminated } = status?.state ?? {};
  const since = parseTime(running?.startedAt ?? terminated?.finishedAt);
  const message = withoutUids(waiting?.message || terminated?.message || '');
  const brief = briefError(message);
  const last = status?.lastState?.terminated;
  const lastAt = parseTime(last?.finishedAt);
  return {
    name: container.name,
    kind,
    image: container.image ?? '',
    level: containerLevel(kind, status),
    state: containerStateText(status),
    ...(message && { message, ...(brief !== message && { brief }) }),
    ...(since !== undefined && { since }),
    ready: status?.ready ?? false,
    restarts: status?.restartCount ?? 0,
    ...(last && { last: { text: terminationText(last), failed: last.exitCode !== 0, ...(lastAt !== undefined && { at: lastAt }) } }),
    assigned: assignment === undefined ? [] : assignedTexts(assignment, status?.allocatedResourcesStatus),
    probes: probeLines(container, status?.containerID, results),
  };
}

function assignedTexts(
  { cpus, memoryNumaNodes, devices = {} }: PageAssignment,
  health: ContainerStatus['allocatedResourcesStatus'],
): string[] {
  const deviceText = (resource: string, id: string) => {
    const reported = health?.find(({ name }) => name === resource)?.resources?.find(({ resourceID }) => resourceID === id)?.health;
    return reported === undefined || reported === 'Healthy' ? id : `${id} ${reported.toLowerCase()}`;
  };
  return [
    ...(cpus === undefined ? [] : [`CPUs ${cpus}`]),
    ...(memoryNumaNodes === undefined
      ? []
      : [`memory of NUMA ${memoryNumaNodes.length === 1 ? 'node' : 'nodes'} ${memoryNumaNodes.join(', ')}`]),
    ...Object.entries(devices).map(([resource, ids]) => `${ids.map((id) => deviceText(resource, id)).join(', ')} (${resource})`),
  ];
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
