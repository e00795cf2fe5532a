import { invalidOption } from '../contracts/options.js';

/** A 64-bit integer that a caller passes, such as a number of bytes: a number, as JSON has it, or a bigint. */
export type Int64Input = number | bigint;

/**
 * The integer as a bigint; a fraction is dropped. `name` is the name of the value in the error.
 *
 * @throws NodeAgentError `InvalidOption` if the value is not a finite number or a bigint
 */
export function toInt64(name: string, value: Int64Input): bigint {
  if (typeof value === 'bigint') return value;
  if (!Number.isFinite(value)) throw invalidOption(name, 'a finite number or a bigint', value);
  return BigInt(Math.trunc(value));
}
