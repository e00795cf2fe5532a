import { findPodCondition, parseTime } from '@nodeagent/api/helpers';
import { terminationText } from '../containers/termination-text.js';
import type { Draft } from './pod-explanation.js';
import type { PodFacts } from './pod-facts.js';
import { ago, cause, inParentheses, listed } from './texts.js';

/** Controllers that create a pod for each one that has ended. */
const replacing = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController']);

/** Why a pod in a terminal phase ended. */
export function ended(facts: PodFacts): Draft | undefined {
  const { status, subject } = facts;
  if (status.phase === 'Succeeded') return succeeded(facts);
  if (status.phase !== 'Failed') return undefined;
  const controller = facts.pod.metadata?.ownerReferences?.find((owner) => owner.controller && owner.kind && owner.name);
  const isReplaced = controller !== undefined && replacing.has(controller.kind);
  const because = whyFailed(facts);
  return {
    severity: 'error',
    ...because,
    text: `${subject} ${because.text}${isReplaced ? `; ${controller.kind} ${controller.name} replaces it` : ''}`,
    ...(isReplaced && { next: 'replace' }),
    reason: because.reason ?? status.reason,
    facts: { ...because.facts, controller: controller && `${controller.kind}/${controller.name}` },
  };
}

function succeeded({ subject, containers, now }: PodFacts): Draft {
  const times = containers.flatMap(({ state }) => parseTime(state.terminated?.finishedAt) ?? []);
  const at = times.length > 0 ? Math.max(...times) : undefined;
  return {
    state: 'succeeded',
    severity: 'done',
    reason: undefined,
    text: `${subject} completed${ago(at, now)}: all containers succeeded`,
    facts: { endedAt: at },
  };
}

type Because = Pick<Draft, 'state' | 'text' | 'facts'> & { reason?: string };

function whyFailed({ pod, status, containers, node }: PodFacts): Because {
  const { reason = '' } = status;
  const message = cause(status.message);
  const disruption = findPodCondition(status, 'DisruptionTarget');
  if (reason === 'Evicted') return { state: 'evicted', text: `was evicted by ${node}${message}` };
  if (/^Preempt/.test(reason) || disruption?.reason === 'PreemptionByScheduler') {
    return {
      state: 'preempted',
      reason: reason || 'PreemptionByScheduler',
      text: `was preempted for a pod of higher priority${message || cause(disruption?.message)}`,
    };
  }
  if (reason === 'DeadlineExceeded') {
    const seconds = pod.spec?.activeDeadlineSeconds;
    return {
      state: 'deadlineExceeded',
      text: `was stopped because it ran longer than its deadline${seconds ? ` of ${seconds}s` : message}`,
      facts: { activeDeadlineSeconds: seconds },
    };
  }
  if (/^(Terminated|Shutdown|NodeShutdown)$/.test(reason))
    return { state: 'failed', text: `was stopped because ${node} shut down${message}` };
  const failed = containers.flatMap(({ name, state: { terminated } }) =>
    terminated?.exitCode ? [{ name, how: terminationText(terminated) }] : [],
  );
  if (failed.length > 0) {
    const policy = pod.spec?.restartPolicy;
    const exits = listed(failed.map(({ name, how }) => `${name} ${how}`));
    return {
      state: 'failed',
      text: `failed: ${exits}${policy ? `, with restart policy ${policy}` : ''}`,
      facts: { failed: failed.map(({ name }) => name) },
    };
  }
  if (reason && !containers.some(({ state }) => state.terminated))
    return { state: 'rejected', text: `was rejected by ${node}${inParentheses(reason)}${message}` };
  return { state: 'failed', text: `failed${inParentheses(reason)}${message}` };
}
