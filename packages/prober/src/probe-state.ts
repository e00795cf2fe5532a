import {
  type Container,
  type ContainerStatus,
  isPodConditionTrue,
  isTerminalPhase,
  matchingRestartRule,
  type Pod,
  type PodStatus,
  type Probe,
  type ProbeResult,
  parseTime,
  shouldRestartOnExit,
} from '@nodeagent/api';

export type ProbeType = 'Liveness' | 'Readiness' | 'Startup';

/** What a worker probes; taken when it begins and not refreshed. */
export interface ProbeSubject {
  type: ProbeType;
  pod: Pod;
  container: Container;
  probe: Probe;
  /** Clock time in milliseconds at which the prober began: containers that ran 10 s before it were not started by this agent. */
  proberStartedAt: number;
}

/** What a worker remembers from one tick to the next. */
export interface ProbeState {
  /** As in the pod's status; empty until one was seen. */
  containerId: string;
  lastResult: ProbeResult;
  /** How many results in a row were `lastResult`; goes on over a restart of the container. */
  resultRun: number;
  /** Nothing is probed until there is a new container. */
  onHold: boolean;
}

export const initialProbeState: ProbeState = { containerId: '', lastResult: 'Success', resultRun: 0, onHold: false };

/** The worker's turn has come, or the probe that it made has an outcome; `result` is undefined if all attempts erred. */
export type ProbeEvent =
  | { kind: 'tick'; status: PodStatus | undefined; now: number }
  | { kind: 'result'; result: 'Success' | 'Failure' | undefined };

/** A result to publish for a container; `undefined` takes back what was published. */
export interface PublishedResult {
  containerId: string;
  result: ProbeResult | undefined;
}

/** What follows: the new state, what to publish in this order, and whether to probe now, wait for the next tick or end. */
export interface ProbeStep {
  state: ProbeState;
  publish: PublishedResult[];
  next: 'probe' | 'wait' | 'stop';
}

const initialResults: Record<ProbeType, ProbeResult> = { Liveness: 'Success', Readiness: 'Failure', Startup: 'Unknown' };

/** A container counts as one of before if it began to run longer than this before the prober. */
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
  // Start-up is probed until it is over, everything else from then on.
  if ((observed.started === true) === (type === 'Startup')) return step('wait');
  return step('probe');
}

/** Follows the container to its new instance, for which nothing is known yet. */
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
  // A container of before keeps what the pod's status says of it until its first probe.
  if (!wasThere) publish.push({ containerId, result: initialResults[type] });
  return { state: { ...before, containerId, onHold: false }, publish };
}

function onResult({ type, probe }: ProbeSubject, before: ProbeState, result: 'Success' | 'Failure' | undefined): ProbeStep {
  if (result === undefined) return { state: before, publish: [], next: 'wait' };
  const resultRun = result === before.lastResult ? before.resultRun + 1 : 1;
  const state: ProbeState = { ...before, lastResult: result, resultRun };
  const threshold = (result === 'Success' ? probe.successThreshold : probe.failureThreshold) ?? 0;
  if (resultRun < threshold) return { state, publish: [], next: 'wait' };
  // The container is about to be restarted, or has started: what comes next is another container's or another worker's business.
  const ends = type === 'Startup' || (type === 'Liveness' && result === 'Failure');
  return {
    state: ends ? { ...state, onHold: true, resultRun: 0 } : state,
    publish: [{ containerId: before.containerId, result }],
    next: 'wait',
  };
}

/** What the pod's status says of a container that there has been. */
export function observedContainer({ containerStatuses, initContainerStatuses }: PodStatus, name: string): ContainerStatus | undefined {
  const named = (statuses: readonly ContainerStatus[] | null | undefined) =>
    statuses?.find((status) => status.name === name && status.containerID);
  return named(containerStatuses) ?? named(initContainerStatuses);
}

function mayRunAgain({ pod, container }: ProbeSubject, { state }: ContainerStatus, status: PodStatus): boolean {
  if (!state?.terminated) return true;
  return shouldRestartOnExit(pod, container, state.terminated.exitCode) || allContainersRestart(pod, status);
}

/** Whether a restart rule of some container that has exited restarts the whole pod (KEP-5532), or that is going on. */
function allContainersRestart({ spec }: Pod, status: PodStatus): boolean {
  if (isPodConditionTrue(status, 'AllContainersRestarting')) return true;
  const containers = new Map([...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map((each) => [each.name, each]));
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].some(({ name, state }) => {
    const container = containers.get(name);
    return container && state?.terminated && matchingRestartRule(container, state.terminated.exitCode)?.action === 'RestartAllContainers';
  });
}
