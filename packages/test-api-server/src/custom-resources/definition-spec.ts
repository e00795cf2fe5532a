import { isObject } from '@nodeagent/api/helpers';
import type { AdditionalPrinterColumn } from '@nodeagent/pod-view/tables';
import type { ApiObject } from '../objects.js';
import type { WebhookClientConfig } from '../webhooks/client-config.js';
import type { Schema } from './schema.js';

/** Names of a resource: Kubernetes API reference, "CustomResourceDefinitionNames". */
export interface DefinitionNames {
  plural?: string;
  singular?: string;
  kind?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** A version: Kubernetes API reference, "CustomResourceDefinitionVersion". */
export interface DefinitionVersion {
  name: string;
  served?: boolean;
  storage?: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: Schema };
  subresources?: { status?: object; scale?: { specReplicasPath?: string; statusReplicasPath?: string; labelSelectorPath?: string } };
  additionalPrinterColumns?: AdditionalPrinterColumn[];
  selectableFields?: { jsonPath?: string }[];
}

/** Kubernetes API reference, "CustomResourceDefinitionSpec". */
export interface DefinitionSpec {
  group?: string;
  scope?: string;
  names?: DefinitionNames;
  versions?: DefinitionVersion[];
  conversion?: { strategy?: string; webhook?: { clientConfig?: WebhookClientConfig; conversionReviewVersions?: string[] } };
  preserveUnknownFields?: boolean;
}

/** A condition of a definition. */
export interface DefinitionCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Kubernetes API reference, "CustomResourceDefinitionStatus". */
export interface DefinitionStatusFields {
  acceptedNames?: DefinitionNames;
  conditions?: DefinitionCondition[] | null;
  storedVersions?: string[] | null;
}

export const definitionStorage = 'apiextensions.k8s.io/customresourcedefinitions';

/** The finalizer of a definition whose objects are not yet deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const specOf = (object: ApiObject): DefinitionSpec => (isObject(object.spec) ? (object.spec as DefinitionSpec) : {});

export const statusOf = (object: ApiObject): DefinitionStatusFields =>
  isObject(object.status) ? (object.status as DefinitionStatusFields) : {};

/** Whether a condition of a definition is true. */
export function isTrue(object: ApiObject, type: string): boolean {
  return (statusOf(object).conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

/** Versions by priority: `v2`, `v1`, `v1beta2`, `v1alpha1`, then others by name. Kubernetes documentation, "Version priority". */
export function comparePriority(a: string, b: string): number {
  const [left, right] = [priorityOf(a), priorityOf(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
}

function priorityOf(version: string): [stability: number, major: number, minor: number] | undefined {
  const found = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (!found) return undefined;
  const stability = found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0;
  return [stability, Number(found[1]), Number(found[3] ?? 0)];
}
