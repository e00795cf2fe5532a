import type { Container, ContainerStatus, Pod, PodStatus, Probe, ProbeResult } from '@nodeagent/api';
import { isPodConditionTrue, isTerminalPhase, matchingRestartRule, parseTime, shouldRestartOnExit } from '@nodeagent/api/helpers';

export type ProbeType = 'Liveness' | 'Readiness' | 'Startup';

/** The probe of a worker, fixed at its start. */
export interface ProbeSubject {
  type: ProbeType;
  pod: Pod;
  container: Container;
  probe: Probe;
  /**
   * Wall-clock milliseconds at which the prober started. Containers that started more than 10 s earlier are from before the agent's start.
   */
  proberStartedAt: number;
}

/** The state of a worker between ticks. */
export interface ProbeState {
  /** As in the pod's status; empty until a container was observed. */
  containerId: string;
  lastResult: ProbeResult;
  /** Number of consecutive results equal to `lastResult`; continues across restarts of the container. */
  resultRun: number;
  /** Probing is suspended until there is a new container. */
  onHold: boolean;
}

export const initialProbeState: ProbeState = { containerId: '', lastResult: 'Success', resultRun: 0, onHold: false };

/** A tick, or the result of the probe; `result` is undefined if all attempts had an error. */
export type ProbeEvent =
  | { kind: 'tick'; status: PodStatus | undefined; now: number }
  | { kind: 'result'; result: 'Success' | 'Failure' | undefined };

/** A result to publish for a container; `undefined` removes the published one. */
export interface PublishedResult {
  containerId: string;
  result: ProbeResult | undefined;
}

/** The next step: the new state, the results to publish in order, and whether to probe now, wait for the next tick or stop. */
export interface ProbeStep {
  state: ProbeState;
  publish: PublishedResult[];
  next: 'probe' | 'wait' | 'stop';
}

const initialResults: Record<ProbeType, ProbeResult> = { Liveness: 'Success', Readiness: 'Failure', Startup: 'Unknown' };

/** A container that started longer than this before the prober is from before the agent's start. */
const restartMarginMs = 10_000;

/**
 * The rules of a probe worker: Kubernetes documentation, "Liveness, Readiness, and Startup Probes" and "Pod Lifecycle: Container probes".
 * Each worker has one kind of probe of one container of one pod.
 */
export function nextProbeState(subject: ProbeSubject, state: ProbeState, event: ProbeEvent): ProbeStep {
  return event.kind === 'tick' ? onTick(subject, state, event.status, event.now) : onResult(subject, state, event.result);
}

function onTick(subject: ProbeSubject, before: ProbeState, status: PodStatus | undefined, now: number): ProbeStep {
  const { type, pod, container, probe } = subject;
  if (status === undefined) return { state: before, publish: [], next: 'wait' };
  if (isTerminalPhase(status.phase)) return { state: before, publish: [], next: 'stop' };
  const observed = observedContainer(status, container.name);
  if (observed === undefined) return { state: before, publish: [], next: 'wait' };

  const { state, publish } = adopt(subject, before, observed);
  const step = (next: ProbeStep['next'], ...results: ProbeResult[]): ProbeStep => ({
    state,
    publish: [...publish, ...results.map((result) => ({ containerId: state.containerId, result }))],
    next,
  });
  if (state.onHold) return step('wait');
  const running = observed.state?.running;
  if (!running) return step(mayRunAgain(subject, observed, status) ? 'wait' : 'stop', 'Failure');
  if (pod.metadata?.deletionTimestamp && type !== 'Readiness') return step('stop', 'Success');
  const elapsedSeconds = Math.floor((now - (parseTime(running.startedAt) ?? Number.NEGATIVE_INFINITY)) / 1000);
  if (elapsedSeconds < (probe.initialDelaySeconds ?? 0)) return step('wait');
  // Startup probes run until the container has started, the others from then on.
  if ((observed.started === true) === (type === 'Startup')) return step('wait');
  return step('probe');
}

/** Switches to the new instance of the container, without results. */
function adopt(subject: ProbeSubject, before: ProbeState, observed: ContainerStatus): Pick<ProbeStep, 'state' | 'publish'> {
  const containerId = observed.containerID ?? '';
  if (containerId === before.containerId) return { state: before, publish: [] };
  const { type, pod, container, proberStartedAt } = subject;
  const publish: PublishedResult[] = [];
  if (before.containerId !== '') publish.push({ containerId: before.containerId, result: undefined });
  const runsSince = parseTime(observed.state?.running?.startedAt);
  const wasThere = runsSince !== undefined && runsSince < proberStartedAt - restartMarginMs;
  const isSidecar = container.restartPolicy === 'Always' && (pod.spec?.initContainers ?? []).some(({ name }) => name === container.name);
  if (isSidecar && type === 'Startup' && observed.started === true) publish.push({ containerId, result: 'Success' });
  // A container from before the agent's start keeps its status until its first probe.
  if (!wasThere) publish.push({ containerId, result: initialResults[type] });
  return { state: { ...before, containerId, onHold: false }, publish };
}

function onResult({ type, probe }: ProbeSubject, before: ProbeState, result: 'Success' | 'Failure' | undefined): ProbeStep {
  if (result === undefined) return { state: before, publish: [], next: 'wait' };
  const resultRun = result === before.lastResult ? before.resultRun + 1 : 1;
  const state: ProbeState = { ...before, lastResult: result, resultRun };
  const threshold = (result === 'Success' ? probe.successThreshold : probe.failureThreshold) ?? 0;
  if (resultRun < threshold) return { state, publish: [], next: 'wait' };
  // The container will be restarted, or has started: this worker has nothing to probe until there is a new container.
  const ends = type === 'Startup' || (type === 'Liveness' && result === 'Failure');
  return {
    state: ends ? { ...state, onHold: true, resultRun: 0 } : state,
    publish: [{ containerId: before.containerId, result }],
    next: 'wait',
  };
}

/** The container's entry in the pod's status, if the container was ever created. */
export function observedContainer({ containerStatuses, initContainerStatuses }: PodStatus, name: string): ContainerStatus | undefined {
  const named = (statuses: readonly ContainerStatus[] | null | undefined) =>
    statuses?.find((status) => status.name === name && status.containerID);
  return named(containerStatuses) ?? named(initContainerStatuses);
}

function mayRunAgain({ pod, container }: ProbeSubject, { state }: ContainerStatus, status: PodStatus): boolean {
  if (!state?.terminated) return true;
  return shouldRestartOnExit(pod, container, state.terminated.exitCode) || allContainersRestart(pod, status);
}

/** Whether a restart rule of an exited container restarts the whole pod (KEP-5532), or such a restart is in progress. */
function allContainersRestart({ spec }: Pod, status: PodStatus): boolean {
  if (isPodConditionTrue(status, 'AllContainersRestarting')) return true;
  const containers = new Map([...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((each) => [each.name, each]));
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].some(({ name, state }) => {
    const container = containers.get(name);
    return container && state?.terminated && matchingRestartRule(container, state.terminated.exitCode)?.action === 'RestartAllContainers';
  });
}
