import { invalidOption } from '@nodeagent/api';
import type { AgentParts, Components } from '../components.js';

/** Where the pods come from: the sources of the options, and the cluster's. Throws `InvalidOption` if there are none. */
export function sources({ agent, cluster }: Components): AgentParts['sources'] {
  const all = [...agent.sources, ...(cluster ? [cluster.source] : [])];
  if (all.length === 0) throw invalidOption('sources', 'a list of at least one pod source', agent.sources);
  return all;
}
