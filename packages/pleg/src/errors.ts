import { NodeAgentError } from '@nodeagent/api';

/** The codes of the errors that this package makes. Errors of the runtime pass through as they are. */
export const plegErrorCodes = {
  /** An option is out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
} as const;

/** Throws unless `value` is a number above zero (and whole, if asked for); `undefined` passes, it means the default. */
export function requirePositive(field: string, value: number | undefined, { integer = false } = {}): void {
  if (value === undefined || (value > 0 && Number.isFinite(value) && (!integer || Number.isInteger(value)))) return;
  throw new NodeAgentError(
    plegErrorCodes.invalidOption,
    `${field} must be ${integer ? 'a whole number' : 'a number'} above 0, got ${value}`,
    {
      details: { field },
    },
  );
}
