import type { ApiObject } from '../objects.js';
import { groupVersion } from '../objects.js';

/** What a client may do with a resource: the verbs of discovery and of authorization. */
export type ResourceVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A part of an object with a path of its own, such as `pods/status`. */
export interface Subresource {
  name: string;
  /** The kind that goes over the wire, and its group and version where they are not the resource's. */
  kind: string;
  group?: string;
  version?: string;
  verbs: readonly ResourceVerb[];
}

/** A field that field selectors may name: its path, and the value of an object that lacks it (default empty). */
export type SelectableFields = Readonly<Record<string, string>>;

/** One resource in one version, as discovery shows it, and how the server keeps it. */
export interface ServedResource {
  group: string;
  version: string;
  /** The plural name, as paths have it. */
  resource: string;
  singular: string;
  kind: string;
  listKind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  verbs: readonly ResourceVerb[];
  subresources: readonly Subresource[];
  /** Whether `metadata.generation` counts changes of what is not metadata or status. */
  countsGenerations: boolean;
  /** Beside `metadata.name` and `metadata.namespace`. */
  selectableFields: SelectableFields;
  /** Versions with the same one are views of the same objects. */
  storage: string;
  /** From the kept form, of which `apiVersion` is set already. Default: no other change. */
  fromStored?: (object: ApiObject) => ApiObject;
  toStored?: (object: ApiObject) => ApiObject;
  /** Only for resources that a CustomResourceDefinition defines. */
  custom?: CustomResource;
}

/** What the version of a CustomResourceDefinition says beyond names. */
export interface CustomResource {
  schema?: Readonly<Record<string, unknown>>;
  printerColumns?: readonly PrinterColumn[];
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
}

/** A column of `kubectl get`: Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions". */
export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  description?: string;
  format?: string;
  priority?: number;
}

/** The apiVersion that objects of the resource carry. */
export function apiVersionOf({ group, version }: ServedResource): string {
  return groupVersion(group, version);
}

/** The subject of refusals about an object of the resource. */
export function subjectOf({ group, resource }: ServedResource, name?: string): { group?: string; kind: string; name?: string } {
  return { ...(name !== undefined && { name }), ...(group !== '' && { group }), kind: resource };
}

/** The subject of refusals about what an object of the resource contains. */
export function kindSubjectOf({ group, kind }: ServedResource, name?: string): { group?: string; kind: string; name?: string } {
  return { ...(name !== undefined && { name }), ...(group !== '' && { group }), kind };
}

export function findSubresource({ subresources }: ServedResource, name: string): Subresource | undefined {
  return subresources.find((subresource) => subresource.name === name);
}
