import type { Container, ContainerStatus, Pod, PodStatus, ProbeView } from '@nodeagent/api';
import { isPodConditionTrue, isSidecar, parseTime } from '@nodeagent/api/helpers';
import { podConditions } from '../conditions.js';

/** The status with `started` and `ready` set, and the containers to probe now. */
export interface ProbedStatus {
  status: PodStatus;
  /** Containers that wait for their first successful readiness probe; probing them immediately makes the pod ready sooner. */
  containersToProbe: string[];
}

/** A container that started longer than this before the prober is from before the agent's start. */
const restartMarginMs = 10_000;

/**
 * Sets `started` and `ready` of the containers by their probes: Kubernetes documentation, "Liveness, Readiness, and Startup Probes".
 * Without probes a running container is started, and a started one is ready; an init container is ready when it has exited with 0.
 */
export function applyProbeResults(pod: Pod, status: PodStatus, probes: ProbeView | undefined): ProbedStatus {
  const containersToProbe: string[] = [];
  const specs = new Map(pod.spec?.containers.map((container) => [container.name, container]));

  const containerStatuses = status.containerStatuses?.map((container) => {
    if (!isStarted(container, probes)) return withProbes(container, false, container.ready);
    return withProbes(container, true, isReady(container, specs.get(container.name), pod, probes, containersToProbe));
  });
  const initContainerStatuses = status.initContainerStatuses?.map((container, index) => {
    const started = isStarted(container, probes);
    const spec = pod.spec?.initContainers?.[index];
    if (spec?.name !== container.name) return withProbes(container, started, container.ready);
    if (!isSidecar(spec)) return withProbes(container, started, container.ready || container.state?.terminated?.exitCode === 0);
    return withProbes(container, started, started ? isReady(container, spec, pod, probes, containersToProbe) : container.ready);
  });
  return {
    status: { ...status, ...(initContainerStatuses && { initContainerStatuses }), ...(containerStatuses && { containerStatuses }) },
    containersToProbe,
  };
}

function withProbes(container: ContainerStatus, started: boolean, ready: boolean): ContainerStatus {
  return container.started === started && container.ready === ready ? container : { ...container, started, ready };
}

function isStarted(container: ContainerStatus, probes: ProbeView | undefined): boolean {
  if (!container.state?.running) return false;
  const result = probes?.startup(container.containerID ?? '');
  if (result !== undefined) return result === 'Success';
  return container.started === true || !probes?.hasWorker(container.name, 'startup');
}

/** For a container that has started; adds containers to probe immediately. */
function isReady(
  container: ContainerStatus,
  spec: Container | undefined,
  pod: Pod,
  probes: ProbeView | undefined,
  containersToProbe: string[],
): boolean {
  if (probes === undefined) return true;
  const result = probes.readiness(container.containerID ?? '');
  if (result === 'Success') return true;
  const probed = probes.hasWorker(container.name, 'readiness');
  if (probed) containersToProbe.push(container.name);
  const ranFrom = parseTime(container.state?.running?.startedAt);
  const wasThere = ranFrom !== undefined && ranFrom < probes.startedAt - restartMarginMs;
  if (spec === undefined || !wasThere) return !probed;
  const wasReady = spec.readinessProbe === undefined || isPodConditionTrue(pod.status, podConditions.ready);
  return wasReady && (!probed || result === undefined);
}
