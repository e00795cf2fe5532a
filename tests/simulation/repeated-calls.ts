import type { Invariant } from './snapshot.js';

/** No call is repeated for the same object faster than its back-off allows, whatever fails. */
export const repeatedCalls: Invariant = ({ repeatedCalls: calls }) => [...calls];
