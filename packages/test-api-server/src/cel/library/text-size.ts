import { CelCostError } from '../cel-error.js';

/** The longest text that a call may make; its costs do not depend on what it makes. */
const maxTextLength = 10_000_000;

/** Throws a `CelCostError` for a longer text. */
export function requireTextSize(length: number): void {
  if (length > maxTextLength) throw new CelCostError();
}
