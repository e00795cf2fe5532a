import { createUserNamespaces } from '@nodeagent/runtime-manager';
import type { AgentParts, Components } from '../components.js';

/** Ids of pods' user namespaces; undefined with `parts.runtime`, which assigns its own. */
export function userNamespaces({ agent, host }: Components): AgentParts['userNamespaces'] {
  const { files, podDirs, machine } = host;
  const { podIds, podIdsError } = machine;
  if (agent.parts?.runtime || podIdsError !== undefined) return undefined;
  return createUserNamespaces({ files, podDir: podDirs.podDir, listPods: () => podDirs.list(), ...(podIds && { ids: podIds }) });
}
