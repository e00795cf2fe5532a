import type { Pod } from '@nodeagent/api';
import { beforeStart } from './before-start.js';
import { notRunning } from './containers.js';
import { ended } from './ended.js';
import { finish, type PodStateExplanation } from './pod-explanation.js';
import { type ExplainPodOptions, podFacts } from './pod-facts.js';
import { running } from './running.js';
import { nodeLost, terminating } from './terminating.js';

/**
 * Why the pod is in its state and what happens next, in one sentence and as data. It reads the pod's spec and status, and the events about
 * it if there are any: those of other objects are ignored. Never throws for a pod with missing fields. Kubernetes documentation, "Pod
 * Lifecycle", "Debug Pods".
 */
export function explainPod(pod: Pod, options: ExplainPodOptions): PodStateExplanation {
  const facts = podFacts(pod, options);
  const draft = terminating(facts) ?? ended(facts) ?? nodeLost(facts) ?? beforeStart(facts) ?? notRunning(facts) ?? running(facts);
  return finish(draft, facts.status.phase || 'Pending');
}
