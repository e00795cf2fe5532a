import type { PartFactories } from './components.js';
import type { AgentObjects, AgentOptions } from './options/agent-options.js';

/**
 * Factories of parts, each called once at construction with the other parts as its argument. A factory must read parts that depend on its
 * own part inside a function, not at construction.
 */
export type ReplaceableParts = Pick<PartFactories, 'statusManager' | 'pleg' | 'podWorkers' | 'imageManager' | 'allocation'>;

/** Parts that can be replaced. Default of each: the agent's own. */
export interface NodeAgentParts extends AgentObjects, Partial<ReplaceableParts> {}

/** Options of {@link createNodeAgent}. */
export interface NodeAgentOptions extends Omit<AgentOptions, 'cri' | 'parts'> {
  /**
   * The container runtime: a CRI client, the embedded runtime, or the in-memory one of `@nodeagent/memory-runtime`. Required without
   * `parts.runtime`.
   */
  cri?: AgentOptions['cri'];
  /** Replacements of single parts. */
  parts?: NodeAgentParts;
}
