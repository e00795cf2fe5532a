import type { RuntimeContainerStatus } from '../contracts/runtime.js';
import type { Container, ContainerRestartRule } from '../objects/container.js';
import type { Pod } from '../objects/pod.js';

/** The first of the container's restart rules that the exit code matches (KEP-5307). The API takes rules only beside a `restartPolicy` of its own. */
export function matchingRestartRule(container: Container, exitCode: number): ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find((rule) => {
    if (rule.exitCodes === undefined) return false;
    const listed = rule.exitCodes.values?.includes(exitCode) ?? false;
    return rule.exitCodes.operator === 'In' ? listed : rule.exitCodes.operator === 'NotIn' && !listed;
  });
}

/** The policy in force for a container: its own, else the pod's, else `Always`. */
export function effectiveRestartPolicy(pod: Pod, container: Container): string {
  return container.restartPolicy ?? (pod.spec?.restartPolicy || 'Always');
}

/** Whether a container may run again after some exit: a rule of its own restarts it, or its policy in force is not `Never`. */
export function isRestartable(pod: Pod, container: Container): boolean {
  const rules = container.restartPolicy === undefined ? [] : (container.restartPolicyRules ?? []);
  return rules.some((rule) => rule.action === 'Restart') || effectiveRestartPolicy(pod, container) !== 'Never';
}

/** Whether a container that exited with this code runs again: its rules, its own policy, the pod's policy, in this order. */
export function shouldRestartOnExit(pod: Pod, container: Container, exitCode: number): boolean {
  const action = container.restartPolicy === undefined ? undefined : matchingRestartRule(container, exitCode)?.action;
  if (action === 'Restart' || action === 'RestartAllContainers') return true;
  const policy = effectiveRestartPolicy(pod, container);
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** The newest instance of the container of that name that the runtime knows. The runtime's statuses come newest first. */
export function newestInstance(statuses: readonly RuntimeContainerStatus[], name: string): RuntimeContainerStatus | undefined {
  return statuses.find((status) => status.name === name);
}

/**
 * Whether the next sync of the pod starts this regular container, given the newest instance of it: Kubernetes documentation, "Container
 * restart policy".
 */
export function shouldContainerBeRestarted(pod: Pod, container: Container, newest: RuntimeContainerStatus | undefined): boolean {
  if (pod.metadata?.deletionTimestamp) return false;
  if (newest === undefined) return true;
  if (newest.state === 'running') return false;
  return newest.state !== 'exited' || shouldRestartOnExit(pod, container, newest.exitCode);
}
