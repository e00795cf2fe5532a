import { parseTime } from '@nodeagent/api/helpers';
import type { ContainerFacts } from '../containers/container-facts.js';
import { failedPull, isPullProblem } from '../containers/next-restarts.js';
import { terminationText } from '../containers/termination-text.js';
import { formatAge } from '../format-age.js';
import type { Draft } from './pod-explanation.js';
import type { PodFacts } from './pod-facts.js';
import { age, ago, cause, counted, inParentheses, within } from './texts.js';

/** Reasons of a container that waits for others or for the node. */
const isOrdinary = (reason: string): boolean => reason === '' || reason === 'ContainerCreating' || reason === 'PodInitializing';

/** Init containers until they are done, then the containers that do not run. */
export function notRunning(facts: PodFacts): Draft | undefined {
  const { containers } = facts;
  const hasStarted = containers.some(({ kind, state }) => kind === 'container' && (state.running || state.terminated));
  const blocking = containers.find((each) => isInitializing(each) && !hasStarted);
  if (blocking) return problem(facts, blocking) ?? creating(facts, blocking) ?? initializing(facts, blocking);
  const rest = containers.filter(({ kind }) => kind !== 'init');
  for (const each of rest) {
    const found = problem(facts, each);
    if (found) return found;
  }
  const waiting = rest.find(({ state }) => !state.running && !state.terminated);
  return waiting && creating(facts, waiting);
}

/** Whether the containers after it wait for this one: Kubernetes documentation, "Init Containers", "Sidecar Containers". */
function isInitializing({ kind, status, state }: ContainerFacts): boolean {
  if (kind === 'container') return false;
  return kind === 'init' ? !state.terminated || Boolean(state.terminated.exitCode) : !status?.started;
}

function initializing({ containers, now, restartOf }: PodFacts, facts: ContainerFacts): Draft {
  const inits = containers.filter(({ kind }) => kind !== 'container');
  const [k, of] = [inits.indexOf(facts) + 1, inits.length];
  const startedAt = parseTime(facts.state.running?.startedAt);
  const runs = facts.state.running ? (startedAt === undefined ? 'runs' : `has run for ${age(startedAt, now)}`) : 'is about to run';
  const last = k < of ? 'the next one starts' : 'the containers start';
  return {
    state: 'initializing',
    severity: 'busy',
    reason: `Init:${k - 1}/${of}`,
    container: facts.name,
    next: 'start',
    text: `${label(facts)} (${k} of ${of}) ${runs}; ${last} ${facts.kind === 'init' ? 'when it succeeds' : 'once it has started'}`,
    facts: { index: k, of, startedAt, restarts: restartOf(facts.name) && facts.status?.restartCount },
  };
}

const labels = { init: 'Init container', sidecar: 'Sidecar', container: 'Container' };

const label = ({ kind, name }: ContainerFacts): string => `${labels[kind]} ${name}`.trim();

/** Why a container does not start or keeps exiting; undefined if it only waits. */
function problem(facts: PodFacts, container: ContainerFacts): Draft | undefined {
  const { waiting, running, terminated } = container.state;
  const reason = waiting?.reason ?? '';
  if (running) return undefined;
  if (terminated || reason === 'CrashLoopBackOff') return crashed(facts, container);
  if (isOrdinary(reason)) return undefined;
  const draft = { severity: 'error', container: container.name, reason } as const;
  if (!isPullProblem(reason)) {
    return {
      ...draft,
      state: 'cannotStart',
      next: 'retry',
      text: `${label(container)} cannot start${inParentheses(reason)}, and ${facts.node} retries${cause(waiting?.message)}`,
    };
  }
  const { at, backOffMs } = facts.restartOf(container.name) ?? {};
  const image = container.container.image;
  const retry = at === undefined ? '' : at > facts.now ? `; the next pull is due ${within(at, facts.now)}` : '; the next pull is due';
  const failed = facts.lastEvent(['Failed'], container.name, failedPull);
  const message = waiting?.message || failed?.message;
  return {
    ...draft,
    state: 'imagePull',
    next: 'pull',
    at,
    text: `${label(container)} cannot start because its image${image ? ` ${image}` : ''} cannot be pulled${inParentheses(reason)}${cause(message)}${retry}`,
    facts: { image, backOffMs, pulls: failed?.count },
  };
}

/** A container that exited and restarts; undefined if it has ended for good and others decide. */
function crashed({ now, restartOf, lastEvent }: PodFacts, container: ContainerFacts): Draft | undefined {
  const { state, backOffMs = 0, at, isExact } = restartOf(container.name) ?? {};
  const last = container.state.terminated ?? container.status?.lastState?.terminated;
  const endedAt = parseTime(last?.finishedAt);
  const restarts = container.status?.restartCount ?? 0;
  const killed = lastEvent(['Killing'], container.name);
  const [probe] = /(?:liveness|startup) probe/.exec(killed && killed.at >= (parseTime(last?.startedAt) ?? now) ? killed.message : '') ?? [];
  const because = probe ? ` because its ${probe} failed` : '';
  const how = last?.exitCode || last?.signal ? terminationText(last) : last ? 'completed' : 'exited';
  const exited = `${label(container)} ${how}${because}${ago(endedAt, now)}`;
  const draft = {
    container: container.name,
    reason: container.state.waiting?.reason ?? last?.reason,
    facts: { exitCode: last?.exitCode, signal: last?.signal, endedAt, failedProbe: probe, restarts },
  };
  if (state !== 'backOff') {
    const text = `${exited}, and its restart policy does not restart it`;
    return last?.exitCode ? { ...draft, state: 'failed', severity: 'error', text } : undefined;
  }
  const count = restarts === 0 ? '' : ` after ${counted(restarts, 'restart')}`;
  return {
    ...draft,
    state: 'crashLoop',
    severity: last && !last.exitCode ? 'warning' : 'error',
    next: 'restart',
    at,
    text: `${exited}${count}${restartText(at, backOffMs, isExact, now)}`,
    facts: { ...draft.facts, backOffMs, isExact },
  };
}

/** When it restarts, as the end of the sentence: the node restarts it at its first sync after the back-off. */
function restartText(at: number | undefined, backOffMs: number, isExact = false, now: number): string {
  const backOff = `its back-off of ${isExact ? '' : 'about '}${formatAge(backOffMs)}`;
  if (backOffMs === 0) return ' and restarts at the next sync';
  if (at === undefined) return ` and restarts at the first sync after ${backOff}`;
  return `; ${backOff} ${at > now ? `ends ${within(at, now)}` : 'has ended'}, and the next sync restarts it`;
}

/** Reasons of events about what a pod needs before its containers start. */
const obstacles = [
  'FailedMount',
  'FailedAttachVolume',
  'FailedMapVolume',
  'FailedCreatePodSandBox',
  'NetworkNotReady',
  'FailedSync',
  'FailedCreatePodContainer',
];

/** A container that waits for volumes, the sandbox or its image; undefined if it runs. */
function creating({ lastEvent, now, node }: PodFacts, container: ContainerFacts): Draft | undefined {
  if (container.state.running) return undefined;
  const draft = { state: 'creating', container: container.name } as const;
  const reason = container.state.waiting?.reason;
  const obstacle = lastEvent(obstacles);
  const [pulling, pulled] = [lastEvent(['Pulling'], container.name), lastEvent(['Pulled', 'Failed'], container.name)];
  if (pulling && pulling.at > (obstacle?.at ?? 0) && pulling.at > (pulled?.at ?? -1)) {
    return {
      ...draft,
      severity: 'busy',
      reason: pulling.reason,
      next: 'start',
      text: `${label(container)} starts when its image is pulled, which began${ago(pulling.at, now)}`,
      facts: { image: container.container.image, since: pulling.at },
    };
  }
  if (obstacle && obstacle.at >= (pulled?.at ?? 0)) {
    return {
      ...draft,
      severity: 'error',
      reason: obstacle.reason,
      next: 'retry',
      text: `${label(container)} cannot be created${inParentheses(obstacle.reason)}, and ${node} retries${cause(obstacle.message)}`,
      facts: { attempts: obstacle.count },
    };
  }
  if (container.kind !== 'container' && reason !== 'ContainerCreating') return undefined;
  return { ...draft, severity: 'busy', reason, next: 'start', text: `${label(container)} is being created` };
}
