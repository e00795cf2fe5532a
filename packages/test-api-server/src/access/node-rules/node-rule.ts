import { equalJson, isObject } from '@nodeagent/api/helpers';
import type { ApiObject } from '../../objects.js';
import type { AdmissionRequest } from '../admission-request.js';
import type { AccessAttributes } from '../authorizer.js';

/** What rules look up in the cluster. */
export interface ClusterFacts {
  get(storage: string, namespace: string | undefined, name: string): ApiObject | undefined;
  /** Whether the server's authorizer grants a node more than the Node authorizer does. */
  isGranted(attributes: AccessAttributes): boolean;
}

/** Why a node must not make a write, in the plugin's words; undefined if it may. Throws 404 if an object is missing. */
export type NodeRule = (write: AdmissionRequest, node: string, cluster: ClusterFacts) => string | undefined;

/** Refuses every write. */
export const never =
  (why: (write: AdmissionRequest, node: string) => string): NodeRule =>
  (write, node) =>
    why(write, node);

/** Refuses an update that changes a field; an empty field equals an absent one. */
export const keeps =
  (path: string, why: (node: string) => string): NodeRule =>
  ({ object, before }, node) =>
    equalJson(valueAt(object, path), valueAt(before, path)) ? undefined : why(node);

/** The value of a field; undefined if the field is empty. */
export function valueAt(object: unknown, path: string): unknown {
  const value = path.split('.').reduce<unknown>((parent, field) => (isObject(parent) ? parent[field] : undefined), object);
  const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return isEmpty ? undefined : value;
}
