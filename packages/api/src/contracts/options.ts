import { apiErrorCodes } from '../errors.js';
import { NodeAgentError, type NodeAgentErrorOptions } from './errors.js';

/**
 * The error `InvalidOption` of an invalid option, for every package: `<field> must be <rule>, got <value>`. `details.field` is the path of
 * the option, such as `settings.imageGCLowThresholdPercent`.
 */
export function invalidOption(field: string, rule: string, value: unknown): NodeAgentError {
  const isPart = value !== null && (typeof value === 'object' || typeof value === 'function');
  const shown = isPart ? typeof value : typeof value === 'string' ? JSON.stringify(value) : String(value);
  return invalidOptionText(field, `${field} must be ${rule}, got ${shown}`);
}

/** {@link invalidOption} with the caller's message: for a rule with a kubelet text, or a secret value. */
export function invalidOptionText(
  field: string,
  message: string,
  options: Pick<NodeAgentErrorOptions, 'cause' | 'hint'> = {},
): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.invalidOption, message, { ...options, details: { field } });
}

/** Throws `InvalidOption` unless `value` is a number above zero (a whole number, if `integer`) or `undefined`, which means the default. */
export function requirePositive(field: string, value: number | undefined, { integer = false } = {}): void {
  if (value === undefined || (value > 0 && Number.isFinite(value) && (!integer || Number.isInteger(value)))) return;
  throw invalidOption(field, `${integer ? 'a whole number' : 'a number'} above 0`, value);
}
