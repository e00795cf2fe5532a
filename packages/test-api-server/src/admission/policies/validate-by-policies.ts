import { errorMessage, type NodeAgentError } from '@nodeagent/api';
import type { AdmissionRequest } from '../../access/admission-request.js';
import type { ApiContext } from '../../context.js';
import { refusedBecause } from '../refuse.js';
import { type PolicyRun, runPolicy } from './each-policy.js';
import { type BoundPolicy, boundPolicies, type ValidatingPolicySpec, validatingPolicies } from './policy.js';

/** Evaluates the validating policies. Throws the first denial; other violations become warnings and audit annotations. */
export function validateByPolicies(request: AdmissionRequest, context: ApiContext): void {
  let denial: NodeAgentError | undefined;
  for (const bound of boundPolicies<ValidatingPolicySpec>(context.store, validatingPolicies)) {
    const { policy, binding, bindingSpec } = bound;
    const actions = bindingSpec.validationActions ?? ['Deny'];
    const deny = (message: string, reason = 'Invalid') => {
      const text = `ValidatingAdmissionPolicy '${policy}' with binding '${binding}' denied request: ${message}`;
      denial ??= refusedBecause(request, text, reason);
    };
    const violated = (message: string, index: number, reason?: string) => {
      if (actions.includes('Deny')) deny(message, reason);
      if (actions.includes('Warn'))
        request.warn?.(`Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${message}`);
      if (actions.includes('Audit')) annotate(request, bound, message, index);
    };
    runPolicy(
      bound,
      request,
      context,
      (run) => validate(run, request, violated),
      (why) => deny(why),
    );
  }
  if (denial) throw denial;
}

type Violated = (message: string, index: number, reason?: string) => void;

function validate(
  { bound, expressions, environment }: PolicyRun<ValidatingPolicySpec>,
  request: AdmissionRequest,
  violated: Violated,
): void {
  const { validations = [], auditAnnotations = [], failurePolicy } = bound.spec;
  const isStrict = failurePolicy !== 'Ignore';
  for (const [index, { expression, message, messageExpression, reason }] of validations.entries()) {
    try {
      if (expressions.value(expression, environment) !== false) continue;
    } catch (error) {
      if (isStrict) violated(`expression '${expression.trim()}' resulted in error: ${errorMessage(error)}`, index);
      continue;
    }
    const made = messageExpression && text(() => expressions.value(messageExpression, environment));
    violated(made || message?.trim() || `failed expression: ${expression.trim()}`, index, reason);
  }
  for (const { key, valueExpression } of auditAnnotations) {
    const value = text(() => expressions.value(valueExpression, environment));
    if (value) request.annotate?.(`${bound.policy}/${key}`, value);
  }
}

/** A text of an expression; undefined if it has none, is empty, too long or of several lines, or fails. */
function text(evaluate: () => unknown): string | undefined {
  try {
    const value = evaluate();
    const trimmed = typeof value === 'string' ? value.trim() : '';
    return trimmed.length > maxTextLength || trimmed.includes('\n') ? undefined : trimmed || undefined;
  } catch {
    return undefined;
  }
}

const maxTextLength = 5 * 1024;

function annotate(
  request: AdmissionRequest,
  { policy, binding, bindingSpec }: BoundPolicy<ValidatingPolicySpec>,
  message: string,
  index: number,
): void {
  const failure = { message, policy, binding, expressionIndex: index, validationActions: bindingSpec.validationActions };
  request.annotate?.('validation.policy.admission.k8s.io/validation_failure', JSON.stringify([failure]));
}
