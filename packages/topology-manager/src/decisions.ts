/**
 * Pure functions of the topology manager: the merge of hints by each policy.
 *
 * @packageDocumentation
 */
export { type AlignmentExplanation, explainAlignment } from './explain.js';
export { type ChosenHint, type MergedHints, type MergeHintsInput, mergeHints, type ProviderHints } from './merge-hints.js';
export type { TopologyManagerPolicy } from './policy.js';
