import { onDemand } from '../on-demand.js';

/** The expressions of webhooks and policies, with the evaluator of CEL. */
export const loadExpressions = onDemand('expressions', () => import('./expressions.js'));
