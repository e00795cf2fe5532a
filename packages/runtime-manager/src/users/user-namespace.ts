import { NodeAgentError, type Pod } from '@nodeagent/api';
import type { UserNamespace } from '@nodeagent/cri-api';
import { runtimeManagerErrorCodes } from '../errors.js';
import type { RuntimeContext } from '../runtime-context.js';
import { runtimeHandlerOf } from '../sync/runtime-handler.js';

/** The user namespace of a pod: the node's, unless `hostUsers` is false (KEP-127). Rejects if a separate one is not possible. */
export async function userNamespace(context: Pick<RuntimeContext, 'ports' | 'handlers'>, pod: Pod): Promise<UserNamespace> {
  if (pod.spec?.hostUsers !== false) return { mode: 'NODE' };
  const { userNamespaces } = context.ports;
  if (userNamespaces === undefined) throw refused('hostUsers: false is not supported: no user namespace mappings are configured');
  const { userNamespaces: supported } = await context.handlers.features(await runtimeHandlerOf(context, pod));
  if (!supported) throw refused("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
  return userNamespaces.mappings(pod);
}

function refused(message: string): NodeAgentError {
  return new NodeAgentError(runtimeManagerErrorCodes.configPodSandbox, message, { details: { field: 'spec.hostUsers' } });
}
