import type { ConfigMap, Pod, Secret } from '@nodeagent/api';
import { configMapsOfPod, secretsOfPod } from './references.js';

/** The kinds of objects that pods refer to by name. */
export interface ReferencedKinds {
  Secret: Secret;
  ConfigMap: ConfigMap;
}

export type ReferencedKind = keyof ReferencedKinds;

/** The resource name in messages, and the names that a pod refers to. */
export const referencedKinds: Record<ReferencedKind, { resource: string; namesOf(pod: Pod): Set<string> }> = {
  Secret: { resource: 'secret', namesOf: secretsOfPod },
  ConfigMap: { resource: 'configmap', namesOf: configMapsOfPod },
};
