import type { PartFactories } from './components.js';
import type { AgentObjects, AgentOptions } from './options/agent-options.js';

/**
 * Factories of parts, each called once at construction. It reads the parts that it needs from its argument: those that need the new part
 * only later, when it is called.
 */
export type ReplaceableParts = Pick<PartFactories, 'statusManager' | 'pleg' | 'podWorkers' | 'imageManager' | 'allocation'>;

/** Parts that can be replaced; what is absent is made by the agent. */
export interface NodeAgentParts extends AgentObjects, Partial<ReplaceableParts> {}

/** Options of {@link createNodeAgent}. */
export interface NodeAgentOptions extends Omit<AgentOptions, 'cri' | 'parts'> {
  /**
   * The container runtime: a CRI client, the embedded runtime, or the in-memory one of `@nodeagent/memory-runtime`. Required unless
   * `parts.runtime` runs the pods.
   */
  cri?: AgentOptions['cri'];
  /** Other implementations of single parts. */
  parts?: NodeAgentParts;
}
