import type { ContainerManager } from '@nodeagent/container-manager';
import type { Components, PartFactories } from './components.js';
import type { AgentObjects, AgentOptions } from './options/agent-options.js';

/**
 * Factories of parts, each called once at construction with the other parts as its argument. A factory must read parts that depend on its
 * own part inside a function, not at construction.
 */
export interface ReplaceableParts extends Pick<PartFactories, 'statusManager' | 'pleg' | 'podWorkers' | 'imageManager' | 'allocation'> {
  /** The agent has none by default unless `settings.cgroupsPerQOS` is on. */
  containerManager: (c: Components) => ContainerManager;
}

/** Parts that can be replaced. Default of each: the agent's own. */
export interface NodeAgentParts extends AgentObjects, Partial<ReplaceableParts> {}

/** Options of {@link createNodeAgent}. */
export interface NodeAgentOptions extends Omit<AgentOptions, 'nodeName' | 'sources' | 'cri' | 'parts'> {
  /** Name of the node, a DNS subdomain. Default: the machine's host name in lower case. */
  nodeName?: AgentOptions['nodeName'];
  /** Pod sources other than the cluster, such as a file source. Default: none; an agent without a cluster needs one. */
  sources?: AgentOptions['sources'];
  /**
   * The container runtime: a CRI client, the embedded runtime, or the in-memory one of `@nodeagent/memory-runtime`. A runtime with `start` and
   * `stop` starts and stops with the agent. Required without `parts.runtime`.
   */
  cri?: AgentOptions['cri'];
  /** Replacements of single parts. */
  parts?: NodeAgentParts;
}
