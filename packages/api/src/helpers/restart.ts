import type { RuntimeContainerStatus } from '../contracts/runtime.js';
import type { Container, ContainerRestartRule } from '../objects/container.js';
import type { Pod } from '../objects/pod.js';

/**
 * The first of the container's restart rules that the exit code matches (KEP-5307). The API accepts rules only together with the
 * container's `restartPolicy`.
 */
export function matchingRestartRule(container: Container, exitCode: number): ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find((rule) => {
    if (!rule.exitCodes) return false;
    const listed = rule.exitCodes.values?.includes(exitCode) ?? false;
    return rule.exitCodes.operator === 'In' ? listed : rule.exitCodes.operator === 'NotIn' && !listed;
  });
}

/** The container's effective restart policy: its own, else the pod's, else `Always`. */
export function effectiveRestartPolicy(pod: Pod, container: Container): string {
  return container.restartPolicy ?? (pod.spec?.restartPolicy || 'Always');
}

/** Whether any exit code can restart the container: it has a restart rule, or its effective policy is not `Never`. */
export function isRestartable(pod: Pod, container: Container): boolean {
  const rules = container.restartPolicy === undefined ? [] : (container.restartPolicyRules ?? []);
  return rules.some((rule) => rule.action === 'Restart') || effectiveRestartPolicy(pod, container) !== 'Never';
}

/** Whether a container that exited with this code restarts, by its rules, its policy, then the pod's policy. */
export function shouldRestartOnExit(pod: Pod, container: Container, exitCode: number): boolean {
  const action = container.restartPolicy === undefined ? undefined : matchingRestartRule(container, exitCode)?.action;
  if (action === 'Restart' || action === 'RestartAllContainers') return true;
  const policy = effectiveRestartPolicy(pod, container);
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** The newest instance of the container in the runtime's statuses, which must be sorted newest first. */
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
