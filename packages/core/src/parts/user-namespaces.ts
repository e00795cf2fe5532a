import { createUserNamespaces } from '@nodeagent/runtime-manager';
import type { AgentParts, Components } from '../components.js';

/** Ids of pods' user namespaces; undefined if the machine has none for pods. */
export function userNamespaces({ host }: Components): AgentParts['userNamespaces'] {
  const { files, podDirs, machine } = host;
  const { podIds, podIdsError } = machine;
  if (podIdsError !== undefined) return undefined;
  return createUserNamespaces({ files, podDir: podDirs.podDir, listPods: () => podDirs.list(), ids: podIds });
}
