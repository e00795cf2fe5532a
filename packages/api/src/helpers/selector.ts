import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';
import type { LabelSelector } from '../objects/meta.js';
import type { NodeSelectorRequirement } from '../objects/pod.js';
import { labelValueProblems, qualifiedNameProblems } from './names.js';
import { quoteText } from './text.js';

type Labels = Readonly<Record<string, string>> | null | undefined;
type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

/** One condition on a label; of a label selector or of a node selector. */
export type SelectorRequirement = NodeSelectorRequirement;

export function invalidSelector({ key, operator }: SelectorRequirement, rule: string): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.invalidSelector, `selector requirement ${quoteText(key)} ${operator}: ${rule}`, {
    details: { key, operator },
  });
}

const isOperator = (text: string): text is Operator => ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'].includes(text);

/** Throws `InvalidSelector` if the requirement breaks the API's rules: known operator, valid key, valid number and kind of values. */
export function checkRequirement(requirement: SelectorRequirement): void {
  const { key, operator, values = [] } = requirement;
  if (!isOperator(operator)) throw invalidSelector(requirement, 'not a valid selector operator');
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) throw invalidSelector(requirement, problems.join('; '));
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0) throw invalidSelector(requirement, 'needs at least one value');
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) throw invalidSelector(requirement, 'takes no values');
  if ((operator === 'Gt' || operator === 'Lt') && (values.length !== 1 || parseInteger(values[0]) === undefined)) {
    throw invalidSelector(requirement, 'needs exactly one value, an integer');
  }
  for (const value of values) {
    const wrong = labelValueProblems(value);
    if (wrong.length > 0) throw invalidSelector(requirement, `value ${quoteText(value)} ${wrong.join('; ')}`);
  }
}

/** Whether the labels meet the requirement, which must be valid. `NotIn` and `DoesNotExist` hold for labels that lack the key. */
export function matchesRequirement({ key, operator, values = [] }: SelectorRequirement, labels: Labels): boolean {
  const value = labels && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default: {
      const [mine, limit] = [parseInteger(value), parseInteger(values[0])];
      if (mine === undefined || limit === undefined) return false;
      return operator === 'Gt' ? mine > limit : mine < limit;
    }
  }
}

function parseInteger(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[-+]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/**
 * Whether labels match a selector; an absent selector matches nothing, an empty one everything. Throws `InvalidSelector`.
 * Kubernetes documentation, "Labels and Selectors".
 */
export function matchesLabelSelector(selector: LabelSelector | null | undefined, labels: Labels): boolean {
  if (!selector) return false;
  const requirements = selector.matchExpressions ?? [];
  for (const requirement of requirements) {
    if (requirement.operator === 'Gt' || requirement.operator === 'Lt') {
      throw invalidSelector(requirement, 'not a valid label selector operator');
    }
    checkRequirement(requirement);
  }
  return matchesLabels(selector.matchLabels, labels) && requirements.every((requirement) => matchesRequirement(requirement, labels));
}

/** Whether the labels have every given key with the given value. */
export function matchesLabels(wanted: Labels, labels: Labels): boolean {
  return Object.entries(wanted ?? {}).every(([key, value]) => labels && Object.hasOwn(labels, key) && labels[key] === value);
}
