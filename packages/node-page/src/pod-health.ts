import { findPodCondition, isTerminalPhase } from '@nodeagent/api';
import type { ContainerLine } from './container-line.js';
import type { Health, Level } from './level.js';
import type { NodePageAgent, PagePod, PagePodExplanation } from './options.js';

/** What a pod's health follows from. */
export interface PodFacts extends PagePod {
  containers: readonly ContainerLine[];
  explanation: PagePodExplanation | undefined;
  pulls: ReturnType<NodePageAgent['pulls']>;
}

/** How the pod is, and the one thing about it that matters most. */
export function podHealth(facts: PodFacts): Health {
  return ended(facts) ?? ending(facts) ?? failing(facts) ?? underWay(facts) ?? { level: 'ok', text: '' };
}

function ended({ status, containers }: PodFacts): Health | undefined {
  if (!isTerminalPhase(status.phase)) return undefined;
  if (status.phase === 'Succeeded') return { level: 'done', text: 'completed' };
  const culprit = containers.find(({ level }) => level === 'bad');
  const why = [status.reason, status.message].filter(Boolean).join(': ');
  return { level: 'bad', text: why || (culprit ? `${culprit.name} ${culprit.state}` : 'failed') };
}

function ending({ pod, state, explanation }: PodFacts): Health | undefined {
  if (state !== 'TerminatingPod' && state !== 'TerminatedPod' && !pod.metadata?.deletionTimestamp) return undefined;
  const because = explanation?.endsBecause;
  const error = explanation?.lastSync?.error;
  if (error !== undefined) return { level: 'bad', text: `cannot be ended: ${error}` };
  return { level: 'ending', text: because === undefined ? 'is being ended' : `is being ended: ${endsBecauseText[because]}` };
}

const endsBecauseText = {
  deleted: 'it was deleted',
  evicted: 'it was evicted',
  containersEnded: 'its containers ended',
  killed: 'it is no longer wanted',
};

function failing({ containers, explanation }: PodFacts): Health | undefined {
  const failed = containers.find(({ level, kind }) => level === 'bad' && kind !== 'ephemeral');
  if (failed !== undefined) {
    const until = explanation?.backOffs.find(({ container }) => container === failed.name)?.until;
    const last = failed.last ? `, last ${failed.last.text}` : '';
    return { level: 'bad', text: `${failed.name}: ${failed.state}${last}`, ...(until !== undefined && { until }) };
  }
  const { error } = explanation?.lastSync ?? {};
  if (error === undefined) return undefined;
  const until = explanation?.nextRetryAt;
  return { level: 'bad', text: error, ...(until !== undefined && { until }) };
}

function underWay({ pod, status, containers, pulls }: PodFacts): Health | undefined {
  const unready = containers.find(({ level }) => level === 'warn');
  if (unready !== undefined) return { level: 'warn', text: `${unready.name} is not ready: its readiness probe has not succeeded` };
  const pull = pulls.find(({ podUid }) => podUid === pod.metadata?.uid);
  if (pull !== undefined) {
    return { level: 'busy', text: `${pull.state === 'pulling' ? 'pulls' : 'waits for its turn to pull'} the image ${pull.image}` };
  }
  const busy = containers.find(({ level }) => level === 'busy');
  if (busy !== undefined) return { level: 'busy', text: busyText(busy) };
  const ready = findPodCondition(status, 'Ready');
  if (ready?.status === 'False' && ready.reason === 'ReadinessGatesNotReady') {
    return { level: 'warn', text: ready.message || 'a readiness gate is not open' };
  }
  return undefined;
}

function busyText({ name, kind, state }: ContainerLine): string {
  if (state !== 'running') return `${name}: ${state}`;
  return kind === 'init' ? `init container ${name} runs` : `${name} starts: its startup probe has not succeeded`;
}

const order: readonly Level[] = ['bad', 'warn', 'busy', 'ending', 'ok', 'done'];

/** The worst first. */
export function compareLevels(a: Level, b: Level): number {
  return order.indexOf(a) - order.indexOf(b);
}
