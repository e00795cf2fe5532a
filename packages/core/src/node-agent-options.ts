import type { PartReplacements } from './components.js';
import type { AgentOptions } from './options/agent-options.js';

/** Options of {@link createNodeAgent}. */
export interface NodeAgentOptions extends Omit<AgentOptions, 'nodeName' | 'sources' | 'cri'> {
  /** Name of the node, a DNS subdomain. Default: the machine's host name in lower case; `localhost` in a browser. */
  nodeName?: AgentOptions['nodeName'];
  /** Pod sources other than the cluster, such as a file source. Default: none; an agent without a cluster needs one. */
  sources?: AgentOptions['sources'];
  /**
   * The container runtime: a CRI client, the embedded runtime, or the in-memory one of `@nodeagent/memory-runtime`. A runtime with `start` and
   * `stop` starts and stops with the agent. Required without `parts.runtime`.
   */
  cri?: AgentOptions['cri'];
  /** Factories that replace parts, or wrap them. Default: the agent's own parts. */
  parts?: PartReplacements;
}
