import { type KubeObject, NodeAgentError } from '@nodeagent/api';
import { testClusterErrorCodes } from './errors.js';

/** Kinds that a controller of a cluster would act on, and none does here. */
const kinds: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: 'autoscaling/',
};

/** Throws `UnsupportedObject` for an object that would stay without effect. */
export function requireController({ apiVersion = '', kind = '' }: KubeObject): void {
  const group = kinds[kind];
  if (group === undefined || !apiVersion.startsWith(group)) return;
  const hint = 'Create it with server.objects.create if your own controller acts on it.';
  throw new NodeAgentError(testClusterErrorCodes.unsupportedObject, `a test cluster has no controller for a ${kind}`, { hint });
}
