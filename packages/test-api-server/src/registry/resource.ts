import type { AdditionalPrinterColumn } from '@nodeagent/pod-view/tables';
import type { Schema } from '../custom-resources/schema.js';
import type { VersionConverter } from '../custom-resources/version-converter.js';
import type { ApiObject } from '../objects.js';
import { groupVersion } from '../objects.js';

/** The verbs of discovery and authorization. */
export type ResourceVerb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A subresource, such as `pods/status`. */
export interface Subresource {
  name: string;
  /** The kind on the wire, and its group and version if they differ from the resource's. */
  kind: string;
  group?: string;
  version?: string;
  verbs: readonly ResourceVerb[];
}

/** A field of field selectors: its path, and the value of an object without it (default empty). */
export type SelectableFields = Readonly<Record<string, string>>;

/** A resource in one version: its discovery facts, and how the server stores it. */
export interface ServedResource {
  group: string;
  version: string;
  /** The plural name in paths. */
  resource: string;
  singular: string;
  kind: string;
  listKind: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  verbs: readonly ResourceVerb[];
  subresources: readonly Subresource[];
  /** Whether `metadata.generation` counts changes outside of metadata and status. */
  countsGenerations: boolean;
  /** In addition to `metadata.name` and `metadata.namespace`. */
  selectableFields: SelectableFields;
  /** Versions with the same one are views of the same objects. */
  storage: string;
  /** Converts from the stored form, with `apiVersion` already set. Default: no other change. */
  fromStored?: (object: ApiObject) => ApiObject;
  toStored?: (object: ApiObject) => ApiObject;
  /** Only for resources that a CustomResourceDefinition defines. */
  custom?: CustomResource;
}

/** A version of a CustomResourceDefinition. */
export interface CustomResource {
  /** The version in which objects are stored; it may not be served. */
  storageVersion: string;
  /** Whether the definition is being deleted, so that no objects are created. */
  isTerminating: boolean;
  /** For clients of a deprecated version. */
  warning?: string;
  /** Converts between versions that differ; absent: they differ in their name only. */
  converter?: VersionConverter;
  schema?: Schema;
  printerColumns?: readonly AdditionalPrinterColumn[];
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
}

/** The apiVersion of the resource's objects. */
export function apiVersionOf({ group, version }: ServedResource): string {
  return groupVersion(group, version);
}

/** The subject of errors about an object of the resource. */
export function subjectOf({ group, resource }: ServedResource, name?: string): { group?: string; kind: string; name?: string } {
  return { ...(name !== undefined && { name }), ...(group !== '' && { group }), kind: resource };
}

/** The subject of errors about the content of an object of the resource. */
export function kindSubjectOf({ group, kind }: ServedResource, name?: string): { group?: string; kind: string; name?: string } {
  return { ...(name !== undefined && { name }), ...(group !== '' && { group }), kind };
}

export function findSubresource({ subresources }: ServedResource, name: string): Subresource | undefined {
  return subresources.find((subresource) => subresource.name === name);
}
