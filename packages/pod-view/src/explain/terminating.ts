import { findPodCondition, isMirrorPod, isTerminalPhase, parseTime } from '@nodeagent/api/helpers';
import type { Draft } from './pod-explanation.js';
import type { PodFacts } from './pod-facts.js';
import { ago, named, within } from './texts.js';

/** A pod that is being deleted: its grace period, then what holds its object. */
export function terminating(facts: PodFacts): Draft | undefined {
  const { pod, status, now, subject, containers } = facts;
  const killAt = parseTime(pod.metadata?.deletionTimestamp);
  if (killAt === undefined) return undefined;
  const graceSeconds = pod.metadata?.deletionGracePeriodSeconds;
  const finalizers = pod.metadata?.finalizers ?? [];
  const running = containers.filter(({ state }) => state.running).map(({ name }) => name);
  const draft = (severity: Draft['severity'], text: string, more?: Partial<Draft>): Draft => ({
    state: 'terminating',
    severity,
    reason: 'Terminating',
    text: `${subject} ${text}`,
    facts: { gracePeriodSeconds: graceSeconds, graceEndsAt: killAt, running, finalizers },
    ...more,
  });
  if (isMirrorPod(pod))
    return draft('busy', 'is being deleted, but the static pod on its node keeps running and gets a new mirror pod', { next: 'replace' });
  if (isNodeLost(facts)) return draft('error', `is being deleted, but ${facts.node} does not report that its containers have stopped`);
  if (running.length > 0 && !isTerminalPhase(status.phase)) {
    const grace = graceSeconds === undefined ? 'its grace period' : `its grace period of ${graceSeconds}s`;
    const [run, it] = running.length === 1 ? ['runs', 'it'] : ['run', 'them'];
    const still = `${named('container', running)} still ${run}`;
    const kill = `${grace} ends ${within(killAt, now)}, when the node kills ${it}`;
    return killAt > now
      ? draft('busy', `is terminating: ${still}, and ${kill}`, { next: 'kill', at: killAt })
      : draft('warning', `is terminating: ${grace} ended${ago(killAt, now)}, but ${still}`, { next: 'kill' });
  }
  if (finalizers.length > 0) {
    const removed = `${named('finalizer', finalizers)} ${finalizers.length === 1 ? 'is' : 'are'} removed`;
    return draft('warning', `has stopped and is deleted once ${removed}`, { state: 'deleted' });
  }
  return draft('busy', `is terminating: its containers have stopped, and ${facts.node} releases its volumes`, { next: 'remove' });
}

/** A node that no longer reports: the control plane has marked its pods. */
export function nodeLost(facts: PodFacts): Draft | undefined {
  if (!isNodeLost(facts)) return undefined;
  const { subject, node, status } = facts;
  return {
    state: 'nodeLost',
    severity: 'error',
    reason: status.reason || 'NodeNotReady',
    text: `${subject} is in an unknown state: ${node} does not report`,
  };
}

function isNodeLost({ status, containers, lastEvent }: PodFacts): boolean {
  if (status.phase === 'Unknown' || status.reason === 'NodeLost') return true;
  const ready = findPodCondition(status, 'Ready');
  // The control plane makes the pod unready without a reason; the statuses of its containers stay as they were.
  const isMarked = ready !== undefined && ready.status !== 'True' && !ready.reason;
  const wereReady = containers.length > 0 && containers.every(({ kind, status }) => kind === 'init' || status?.ready);
  return isMarked && wereReady && lastEvent(['NodeNotReady']) !== undefined;
}
