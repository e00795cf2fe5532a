import type { ContainerStatus, Pod } from '@nodeagent/api';
import type { PodFailurePolicy, PodFailurePolicyRule } from '../objects.js';

/** What a policy does with a failed pod. */
export interface PolicyMatch {
  /** Action of the rule that matches, if one does. */
  action?: string;
  /** Whether the failure counts for the limits. */
  isCounted: boolean;
  /** Why the job fails, for the action `FailJob`. */
  message?: string;
}

/** Finds the first rule that a failed pod matches. Kubernetes documentation, "Jobs: Pod failure policy". */
export function matchPodFailurePolicy(policy: PodFailurePolicy | undefined, pod: Pod): PolicyMatch {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const reason = matchRule(rule, pod);
    if (reason === undefined) continue;
    const { action } = rule;
    return {
      action,
      isCounted: action !== 'Ignore',
      ...(action === 'FailJob' && { message: `${reason} matching ${action} rule at index ${index}` }),
    };
  }
  return { isCounted: true };
}

/** Why the rule matches. */
function matchRule({ onExitCodes, onPodConditions }: PodFailurePolicyRule, { metadata, status }: Pod): string | undefined {
  const name = `${metadata?.namespace}/${metadata?.name}`;
  if (onExitCodes) {
    const { containerName, operator, values } = onExitCodes;
    const isMatch = ({ name: container, state }: ContainerStatus) =>
      (containerName === undefined || containerName === container) &&
      Boolean(state?.terminated?.exitCode) &&
      values.includes(state?.terminated?.exitCode ?? 0) === (operator === 'In');
    const found = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(isMatch);
    return found && `Container ${found.name} for pod ${name} failed with exit code ${found.state?.terminated?.exitCode}`;
  }
  const condition = status?.conditions?.find((each) =>
    onPodConditions?.some((pattern) => pattern.type === each.type && (pattern.status ?? 'True') === each.status),
  );
  return condition && `Pod ${name} has condition ${condition.type}`;
}
