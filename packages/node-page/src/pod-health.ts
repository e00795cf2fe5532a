import { crashLoopResetMs, findPodCondition, isTerminalPhase } from '@nodeagent/api/helpers';
import { briefError } from '@nodeagent/pod-view/timeline';
import type { ContainerLine } from './container-line.js';
import type { Health, Level } from './level.js';
import type { NodePageAgent, PagePod, PagePodExplanation } from './options.js';

/** Input of {@link podHealth}. */
export interface PodFacts extends PagePod {
  /** Milliseconds since 1970. */
  now: number;
  containers: readonly ContainerLine[];
  explanation: PagePodExplanation | undefined;
  pulls: ReturnType<NodePageAgent['pulls']>;
}

/** The health of the pod, with its most important reason. */
export function podHealth(facts: PodFacts): Health {
  return ended(facts) ?? ending(facts) ?? failing(facts) ?? underWay(facts) ?? { level: 'ok', state: 'running', text: '' };
}

function ended({ status, containers }: PodFacts): Health | undefined {
  if (!isTerminalPhase(status.phase)) return undefined;
  if (status.phase === 'Succeeded') return { level: 'done', state: 'completed', text: '' };
  const culprit = containers.find(({ level }) => level === 'bad');
  const why = [status.reason, status.message].filter(Boolean).join(': ');
  return { level: 'bad', state: 'failed', text: why || (culprit ? `${culprit.name} ${culprit.state}` : '') };
}

function ending({ pod, state, explanation }: PodFacts): Health | undefined {
  if (state !== 'TerminatingPod' && state !== 'TerminatedPod' && !pod.metadata?.deletionTimestamp) return undefined;
  const because = explanation?.terminationCause;
  const error = explanation?.lastSync?.error;
  if (error !== undefined) return { level: 'bad', state: 'stuck', text: `cannot terminate: ${briefError(error)}` };
  return { level: 'ending', state: 'terminating', text: because === undefined ? '' : terminationCauseText[because] };
}

const terminationCauseText = {
  deleted: 'it was deleted',
  evicted: 'it was evicted',
  containersEnded: 'its containers terminated',
  killed: 'it was removed from its source',
};

function failing({ containers, explanation }: PodFacts): Health | undefined {
  const failed = containers.find(({ level, kind }) => level === 'bad' && kind !== 'ephemeral');
  if (failed !== undefined) {
    const backOff = explanation?.backOffs.find(({ container }) => container === failed.name);
    // The first sync after the back-off retries.
    const until = backOff && Math.max(backOff.until, explanation?.nextRetryAt ?? 0);
    const before = failed.last && failed.since === undefined ? `, ${failed.last.text} before` : '';
    return { level: 'bad', state: 'failing', text: `${failed.name}: ${failed.state}${before}`, ...(until !== undefined && { until }) };
  }
  const { error } = explanation?.lastSync ?? {};
  if (error === undefined) return undefined;
  const until = explanation?.nextRetryAt;
  return { level: 'bad', state: 'failing', text: briefError(error), ...(until !== undefined && { until }) };
}

function underWay({ pod, status, containers, pulls, now }: PodFacts): Health | undefined {
  const unready = containers.find(({ level }) => level === 'warn');
  if (unready !== undefined) return { level: 'warn', state: 'not ready', text: `${unready.name}: its readiness probe fails` };
  const pull = pulls.find(({ podUid }) => podUid === pod.metadata?.uid);
  if (pull !== undefined) {
    return {
      level: 'busy',
      state: 'starting',
      text: `${pull.state === 'pulling' ? 'pulling image' : 'image pull queued:'} ${pull.image}`,
    };
  }
  const busy = containers.find(({ level }) => level === 'busy');
  if (busy !== undefined) return { level: 'busy', state: 'starting', text: busyText(busy) };
  const ready = findPodCondition(status, 'Ready');
  if (ready?.status === 'False' && ready.reason === 'ReadinessGatesNotReady') {
    return { level: 'warn', state: 'not ready', text: ready.message || 'a readiness gate is not ready' };
  }
  const restarted = containers.find((each) => wasRestarted(each, now));
  if (restarted === undefined) return undefined;
  return {
    level: 'warn',
    state: 'restarted',
    text: `${restarted.name}: ${restarted.last?.text} ${minutesAgo(restarted.last?.at ?? now, now)}`,
  };
}

/** Until it has run long enough to reset its back-off. */
function wasRestarted({ state, since, last, restarts }: ContainerLine, now: number): boolean {
  return state === 'running' && restarts > 0 && last?.failed === true && now - (since ?? now) < crashLoopResetMs;
}

const minutesAgo = (at: number, now: number) => (now - at < 60_000 ? 'just now' : `${Math.floor((now - at) / 60_000)} min ago`);

function busyText({ name, kind, state }: ContainerLine): string {
  if (state !== 'running') return `${name}: ${state}`;
  return kind === 'init' ? `init container ${name} is running` : `${name} is starting: its startup probe has not succeeded`;
}

const order: readonly Level[] = ['bad', 'warn', 'busy', 'ending', 'ok', 'done'];

/** Orders levels, worst first. */
export function compareLevels(a: Level, b: Level): number {
  return order.indexOf(a) - order.indexOf(b);
}
