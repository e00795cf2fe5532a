import type { Probe } from '@nodeagent/api';
import { findPodCondition, isPodConditionTrue, isPodReady, parseTime } from '@nodeagent/api/helpers';
import { terminationText } from '../containers/termination-text.js';
import { podResize } from '../resources/pod-resize.js';
import type { Draft } from './pod-explanation.js';
import type { PodFacts } from './pod-facts.js';
import { age, ago, cause, counted, listed, named } from './texts.js';

/** A pod whose containers run: probes, readiness gates, resize. */
export function running(facts: PodFacts): Draft {
  return probing(facts) ?? gatesOpen(facts) ?? resizing(facts) ?? healthy(facts);
}

/** `HTTP GET :8080/healthz every 10s`; without a command, which may contain a secret. */
function probeText({ httpGet, tcpSocket, grpc, periodSeconds = 10 }: Probe): string {
  const [how, port] = httpGet
    ? ['HTTP GET', `${httpGet.port ?? ''}${httpGet.path ?? ''}`]
    : tcpSocket
      ? ['TCP', tcpSocket.port]
      : grpc
        ? ['gRPC', grpc.port]
        : ['command', undefined];
  return `${how}${port === undefined ? '' : ` :${port}`} every ${periodSeconds}s`;
}

/** A container that its startup or readiness probe holds back. */
function probing({ containers, now, lastEvent }: PodFacts): Draft | undefined {
  const held = containers.find(({ kind, state, status, container }) => {
    const isHeld = status?.started === false || (!status?.ready && container.readinessProbe);
    return kind !== 'init' && state.running && isHeld;
  });
  if (!held) return undefined;
  const { name, container, status } = held;
  const isStarting = status?.started === false;
  const [type, probe, goal] = isStarting
    ? (['startup', container.startupProbe, 'started'] as const)
    : (['readiness', container.readinessProbe, 'ready'] as const);
  const failed = lastEvent(['Unhealthy'], name, isStarting ? 'Startup' : 'Readiness');
  const failureThreshold = probe?.failureThreshold ?? 3;
  const restart = isStarting ? `, and restarts after ${counted(failureThreshold, 'failure')} in a row` : '';
  const failure = failed ? `; it failed ${counted(failed.count, 'time')}, last${ago(failed.at, now)}${cause(failed.message)}` : '';
  return {
    state: isStarting ? 'starting' : 'notReady',
    severity: isStarting ? 'busy' : 'warning',
    container: name,
    reason: failed?.reason ?? 'ContainersNotReady',
    next: 'probe',
    text: `Container ${name} is not ${goal} until its ${type} probe${probe ? ` (${probeText(probe)})` : ''} succeeds${restart}${failure}`,
    facts: { probe: type, failures: failed?.count, lastFailureAt: failed?.at || undefined, failureThreshold },
  };
}

function gatesOpen({ pod, status, subject }: PodFacts): Draft | undefined {
  const gates = (pod.spec?.readinessGates ?? [])
    .map(({ conditionType = '' }) => conditionType)
    .filter((type) => !isPodConditionTrue(status, type));
  if (gates.length === 0) return undefined;
  const text = `${subject} is not ready: ${named('readiness gate', gates)} ${gates.length === 1 ? 'is' : 'are'} not True`;
  return { state: 'readinessGate', severity: 'warning', reason: 'ReadinessGatesNotReady', text, facts: { gates } };
}

const resizeTexts = {
  Proposed: 'waits for the decision of',
  Deferred: 'is deferred until it fits on',
  Infeasible: 'does not fit on',
  InProgress: 'is being applied by',
  Error: 'cannot be applied by',
};

function resizing({ pod, subject, node }: PodFacts): Draft | undefined {
  const resize = podResize(pod);
  if (!resize) return undefined;
  const { state, message } = resize;
  const severity = state === 'Infeasible' || state === 'Error' ? 'error' : 'busy';
  return {
    state: 'resizing',
    severity,
    reason: state,
    ...(state !== 'Infeasible' && { next: 'retry' as const }),
    text: `${subject} runs, and its resize ${resizeTexts[state]} ${node}${cause(message)}`,
  };
}

/** A pod that is as it should be, or whose status has no reason why it is not. */
function healthy({ pod, status, subject, containers, now, restartOf }: PodFacts): Draft {
  const main = containers.filter(({ kind }) => kind !== 'init');
  const completed = main.filter(({ state }) => state.terminated).map(({ name }) => name);
  const ready = findPodCondition(status, 'Ready');
  const isReady = isPodReady(pod) || (!ready && main.every(({ status }) => status?.ready));
  const readySince = isReady ? parseTime(ready?.lastTransitionTime) : undefined;
  const unsteady = main.find(({ name }) => restartOf(name)?.resetsAt);
  const last = unsteady?.status?.lastState?.terminated;
  const how = last ? ` after it ${terminationText(last)}${ago(parseTime(last.finishedAt), now)}` : '';
  const readiness = isReady
    ? `runs and ${readySince === undefined ? 'is ready' : `has been ready for ${age(readySince, now)}`}`
    : `runs but is not ready${completed.length > 0 ? `: ${listed(completed)} completed` : cause(ready?.message)}`;
  return {
    state: isReady ? 'running' : 'notReady',
    severity: unsteady || !(isReady || completed.length > 0) ? 'warning' : 'ok',
    ...(unsteady && { container: unsteady.name }),
    reason: isReady ? undefined : ready?.reason,
    text: `${subject} ${readiness}${unsteady ? `; ${unsteady.name} restarted${how}` : ''}`,
    facts: { readySince, completed, restarts: unsteady?.status?.restartCount },
  };
}
