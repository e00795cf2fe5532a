import type { ObjectMeta } from '@nodeagent/api';

/** Metadata as stored: the fields of `@nodeagent/api`, and managed fields. */
export interface ApiMeta extends ObjectMeta {
  managedFields?: unknown[];
}

/** An object of any kind as JSON. Stored objects are never changed, only replaced. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ApiMeta;
  spec?: unknown;
  status?: unknown;
  [field: string]: unknown;
}

/** `v1` of the core group, `apps/v1` of others. */
export function groupVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The parts of an apiVersion; the core group is empty. */
export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? { group: '', version: apiVersion } : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
