import { NodeAgentError, type Pod } from '@nodeagent/api';
import type { UserNamespace } from '@nodeagent/cri-api';
import { errorCodes } from './errors.js';
import type { RuntimeManagerOptions } from './options.js';

/** The user namespace of a pod: the node's, unless `hostUsers` is false (KEP-127). */
export function userNamespace({ userNamespaceMappings }: Pick<RuntimeManagerOptions, 'userNamespaceMappings'>, pod: Pod): UserNamespace {
  if (pod.spec?.hostUsers !== false) return { mode: 'NODE' };
  if (userNamespaceMappings) return userNamespaceMappings(pod);
  throw new NodeAgentError(errorCodes.configPodSandbox, 'hostUsers: false is not supported: no user namespace mappings are configured', {
    details: { field: 'spec.hostUsers' },
  });
}
