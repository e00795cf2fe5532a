import { apiErrorCodes } from '../errors.js';
import { NodeAgentError } from './errors.js';

/** The error of an invalid argument: its message has the argument's name, the rule and the given value. */
export function invalidArgument(field: string, rule: string, value: unknown): NodeAgentError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return new NodeAgentError(apiErrorCodes.invalidArgument, `${field} must be ${rule}, got ${shown}`, { details: { field, value } });
}

/** The value if it is an integer of at least `min`; else throws `InvalidArgument`. */
export function integerFrom(field: string, value: number, min: number): number {
  if (!Number.isSafeInteger(value) || value < min) throw invalidArgument(field, `an integer of at least ${min}`, value);
  return value;
}
