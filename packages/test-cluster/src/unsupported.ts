import { type KubeObject, NodeAgentError } from '@nodeagent/api';
import { testClusterErrorCodes } from './errors.js';

/** Kinds that a controller of a cluster would act on, and none does here. */
const kinds: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: 'autoscaling/',
};

/** Fields of a spec that the controllers here do not follow; a listed value is followed. */
const fields: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  Job: {
    completionMode: 'NonIndexed',
    podFailurePolicy: undefined,
    successPolicy: undefined,
    backoffLimitPerIndex: undefined,
    ttlSecondsAfterFinished: undefined,
  },
};

/** Throws `UnsupportedObject` for an object that would stay without effect. */
export function requireController({ apiVersion = '', kind = '', ...object }: KubeObject): void {
  const refuse = (what: string) => {
    const hint = 'Create it with server.objects.create if your own controller acts on it.';
    throw new NodeAgentError(testClusterErrorCodes.unsupportedObject, `a test cluster has no controller for ${what}`, { hint });
  };
  const group = kinds[kind];
  if (group !== undefined && apiVersion.startsWith(group)) refuse(`a ${kind}`);
  const { spec } = object as { spec?: Record<string, unknown> };
  for (const [field, followed] of Object.entries(fields[kind] ?? {})) {
    const value = spec?.[field];
    if (value !== undefined && value !== null && value !== followed) refuse(`spec.${field} of a ${kind}`);
  }
}
