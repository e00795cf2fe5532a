import type { ConfigMap, Secret } from '@nodeagent/api';
import { payloadError } from './payload.js';
import type { PayloadSources } from './payload-sources.js';

/** An object in the pod's namespace; if `optional`, a missing object counts as empty. */
export interface ObjectSelection {
  namespace: string;
  name: string;
  optional: boolean;
  signal: AbortSignal;
}

export async function fetchConfigMap({ getConfigMap }: PayloadSources, selection: ObjectSelection): Promise<ConfigMap> {
  const { namespace, name, optional, signal } = selection;
  if (!getConfigMap) throw payloadError(`configmap "${name}" cannot be read: no getter for config maps is configured`);
  const found = await getConfigMap(namespace, name, signal);
  if (found === undefined && !optional) throw payloadError(`configmap "${name}" not found`);
  return found ?? {};
}

export async function fetchSecret({ getSecret }: PayloadSources, selection: ObjectSelection): Promise<Secret> {
  const { namespace, name, optional, signal } = selection;
  if (!getSecret) throw payloadError(`secret "${name}" cannot be read: no getter for secrets is configured`);
  const found = await getSecret(namespace, name, signal);
  if (found === undefined && !optional) throw payloadError(`secret "${name}" not found`);
  return found ?? {};
}
