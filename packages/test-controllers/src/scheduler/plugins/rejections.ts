import type { Misfit } from '../framework/plugin.js';

/** A misfit that remains without other pods. */
export const unresolvable = (reason: string): Misfit => ({ reasons: [reason], helpedByPreemption: false });
/** A misfit that the end of other pods may resolve. */
export const resolvable = (reason: string): Misfit => ({ reasons: [reason], helpedByPreemption: true });
