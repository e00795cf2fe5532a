import type { Node } from '../objects/node.js';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '../objects/pod.js';
import { checkRequirement, invalidSelector, matchesLabels, matchesRequirement } from './selector.js';

/**
 * Whether the pod may run on the node by its `nodeSelector` and its required node affinity. Throws `InvalidSelector` if no term matches
 * and one is invalid. Kubernetes documentation, "Assigning Pods to Nodes".
 */
export function matchesNodeAffinity(pod: Pod, node: Pick<Node, 'metadata'>): boolean {
  if (!matchesLabels(pod.spec?.nodeSelector, node.metadata?.labels)) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || matchesNodeSelector(required, node);
}

/** Whether one of the selector's terms matches the node. Empty terms match no node. Throws as {@link matchesNodeAffinity}. */
export function matchesNodeSelector({ nodeSelectorTerms }: NodeSelector, node: Pick<Node, 'metadata'>): boolean {
  let firstError: unknown;
  for (const term of nodeSelectorTerms ?? []) {
    try {
      if (matchesTerm(term, node)) return true;
    } catch (error) {
      firstError ??= error;
    }
  }
  if (firstError !== undefined) throw firstError;
  return false;
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Pick<Node, 'metadata'>): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  matchExpressions.forEach(checkRequirement);
  matchFields.forEach(checkField);
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, metadata?.labels)) &&
    matchFields.every(({ key, operator, values = [] }) => {
      const value = key === 'metadata.name' ? (metadata?.name ?? '') : '';
      return (operator === 'In') === (value === values[0]);
    })
  );
}

/** The only field is `metadata.name`; other keys count as fields without a value. */
function checkField(requirement: NodeSelectorRequirement): void {
  const { operator, values = [] } = requirement;
  if (operator !== 'In' && operator !== 'NotIn') throw invalidSelector(requirement, 'not a valid field selector operator');
  if (values.length !== 1) throw invalidSelector(requirement, 'needs exactly one value');
}
