import type { Pod } from '@nodeagent/api';
import { crashLoopResetMs, findPodCondition, isTerminalPhase, parseTime } from '@nodeagent/api/helpers';
import { type ContainerFacts, containerFacts } from '../containers/container-facts.js';
import { terminationText } from '../containers/termination-text.js';
import { briefError } from '../timeline/brief-text.js';
import { containerLevel, containerStateText } from './container-level.js';
import type { Health, Level } from './level.js';

/** Input of {@link podHealth}. Times are milliseconds since 1970. */
export interface PodHealthFacts {
  /** With its status. */
  pod: Pod;
  now: number;
  /** Whether the agent is stopping the pod or has stopped it. Default: whether the pod is being deleted. */
  isTerminating?: boolean;
  terminationCause?: keyof typeof terminationCauseText | undefined;
  /** Error of the worker's last sync. */
  syncError?: string | undefined;
  /** When the worker syncs again. */
  nextRetryAt?: number | undefined;
  /** Containers whose start or image pull waits. */
  backOffs?: readonly { container: string; until: number }[];
  /** The pod's image pull in progress. */
  pull?: { image: string; state: 'waiting' | 'pulling' } | undefined;
}

const terminationCauseText = {
  deleted: 'it was deleted',
  evicted: 'it was evicted',
  containersEnded: 'its containers terminated',
  killed: 'it was removed from its source',
};

interface LeveledContainer extends ContainerFacts {
  level: Level;
}

interface Facts extends PodHealthFacts {
  containers: readonly LeveledContainer[];
}

/** The health of a pod, with its most important reason. The page and the terminal show this one. */
export function podHealth(facts: PodHealthFacts): Health {
  const containers = containerFacts(facts.pod).map((each) => ({ ...each, level: containerLevel(each.kind, each.status) }));
  const all = { ...facts, containers };
  return ended(all) ?? ending(all) ?? failing(all) ?? unsteady(all) ?? { level: 'ok', state: 'running', text: '' };
}

const withLevel = ({ containers }: Facts, wanted: Level) => containers.find(({ level }) => level === wanted);

function ended(facts: Facts): Health | undefined {
  const { phase, reason, message } = facts.pod.status ?? {};
  if (!isTerminalPhase(phase)) return undefined;
  if (phase === 'Succeeded') return { level: 'done', state: 'completed', text: '' };
  const culprit = withLevel(facts, 'bad');
  const why = [reason, message].filter(Boolean).join(': ');
  return { level: 'bad', state: 'failed', text: why || (culprit ? `${culprit.name} ${containerStateText(culprit.status)}` : '') };
}

function ending({ pod, isTerminating, terminationCause, syncError }: Facts): Health | undefined {
  if (!isTerminating && !pod.metadata?.deletionTimestamp) return undefined;
  if (syncError !== undefined) return { level: 'bad', state: 'stuck', text: `cannot terminate: ${briefError(syncError)}` };
  return { level: 'ending', state: 'terminating', text: terminationCause === undefined ? '' : terminationCauseText[terminationCause] };
}

function failing(facts: Facts): Health | undefined {
  const { backOffs = [], nextRetryAt, syncError } = facts;
  const failed = withLevel(facts, 'bad');
  if (failed !== undefined) {
    const backOff = backOffs.find(({ container }) => container === failed.name);
    // The first sync after the back-off retries.
    const until = backOff && Math.max(backOff.until, nextRetryAt ?? 0);
    const last = failed.state.terminated === undefined ? failed.status?.lastState?.terminated : undefined;
    const text = `${failed.name}: ${containerStateText(failed.status)}${last ? `, ${terminationText(last)} before` : ''}`;
    return { level: 'bad', state: 'failing', text, ...(until !== undefined && { until }) };
  }
  if (syncError === undefined) return undefined;
  return { level: 'bad', state: 'failing', text: briefError(syncError), ...(nextRetryAt !== undefined && { until: nextRetryAt }) };
}

function unsteady(facts: Facts): Health | undefined {
  const unready = withLevel(facts, 'warn');
  if (unready !== undefined) {
    const why = unready.container.readinessProbe ? 'its readiness probe fails' : 'it is not ready';
    return { level: 'warn', state: 'not ready', text: `${unready.name}: ${why}` };
  }
  return starting(facts) ?? waitingForGate(facts) ?? restarted(facts);
}

function starting(facts: Facts): Health | undefined {
  const { pull } = facts;
  if (pull !== undefined) {
    return { level: 'busy', state: 'starting', text: `${pull.state === 'pulling' ? 'pulling image' : 'image pull queued:'} ${pull.image}` };
  }
  const busy = withLevel(facts, 'busy');
  return busy && { level: 'busy', state: 'starting', text: busyText(busy) };
}

function busyText({ name, kind, state, status }: ContainerFacts): string {
  if (state.running === undefined) return `${name}: ${containerStateText(status)}`;
  return kind === 'init' ? `init container ${name} is running` : `${name} is starting: its startup probe has not succeeded`;
}

function waitingForGate({ pod }: Facts): Health | undefined {
  const ready = pod.status && findPodCondition(pod.status, 'Ready');
  if (ready?.status !== 'False' || ready.reason !== 'ReadinessGatesNotReady') return undefined;
  return { level: 'warn', state: 'not ready', text: ready.message || 'a readiness gate is not ready' };
}

/** Until a container has run long enough to reset its back-off. */
function restarted({ containers, now }: Facts): Health | undefined {
  for (const { name, state, status } of containers) {
    const last = status?.lastState?.terminated;
    const since = parseTime(state.running?.startedAt) ?? now;
    if (!state.running || !last || last.exitCode === 0 || !status?.restartCount || now - since >= crashLoopResetMs) continue;
    const text = `${name}: ${terminationText(last)} ${minutesAgo(parseTime(last.finishedAt) ?? now, now)}`;
    return { level: 'warn', state: 'restarted', text };
  }
  return undefined;
}

const minutesAgo = (at: number, now: number) => (now - at < 60_000 ? 'just now' : `${Math.floor((now - at) / 60_000)} min ago`);
