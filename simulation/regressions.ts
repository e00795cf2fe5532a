import type { RunOptions } from './actions.js';

/** A run that once failed, and what was wrong then. */
export interface Regression {
  what: string;
  run: RunOptions;
}

/** Runs that found something; docs/reliability.md tells what. */
export const regressions: readonly Regression[] = [];
