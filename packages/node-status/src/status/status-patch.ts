import type { Node } from '@nodeagent/api';
import { equalJson, isObject } from '@nodeagent/api/helpers';

type Json = Record<string, unknown>;

/** Merge keys of the Node's lists, by path; other lists are replaced as a whole. */
const mergeKeys: Readonly<Record<string, string>> = {
  'status.addresses': 'type',
  'status.conditions': 'type',
  'metadata.ownerReferences': 'uid',
};

/**
 * The strategic merge patch for the status subresource that turns one Node into the other; undefined if they are equal. The spec is not
 * patched. Existing addresses are replaced as a whole, because two of them may have the same type. Kubernetes documentation, "Update API
 * Objects in Place Using kubectl patch: Strategic merge patch".
 */
export function nodeStatusPatch(before: Node, after: Node): Json | undefined {
  const patch = patchObject(part(before), part(after), '');
  const [old, current] = [before.status?.addresses ?? [], after.status?.addresses ?? []];
  const status = patch?.status as Json | undefined;
  if (status && old.length > 0 && ('addresses' in status || '$setElementOrder/addresses' in status)) {
    delete status['$setElementOrder/addresses'];
    status.addresses = [...current, { $patch: 'replace' }];
  }
  return patch;
}

function part({ metadata, status }: Node): Json {
  return { metadata: metadata ?? {}, status: status ?? {} };
}

function patchObject(before: Json, after: Json, path: string): Json | undefined {
  const patch: Json = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    Object.assign(patch, patchField(key, before[key], after[key], path === '' ? key : `${path}.${key}`));
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** The patch of one field; empty if it is unchanged. */
function patchField(key: string, before: unknown, after: unknown, path: string): Json {
  if (isAbsent(after)) return isAbsent(before) ? {} : { [key]: null };
  if (isAbsent(before)) return { [key]: after };
  if (isObject(before) && isObject(after)) {
    const nested = patchObject(before, after, path);
    return nested === undefined ? {} : { [key]: nested };
  }
  if (equalJson(before, after)) return {};
  const mergeKey = mergeKeys[path];
  if (mergeKey === undefined || !Array.isArray(before) || !Array.isArray(after)) return { [key]: after };
  return patchKeyedList(key, before, after, mergeKey, path);
}

/** The API omits empty lists. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The new and changed elements, the removed ones, and the order of all, without which the server rejects the patch. */
function patchKeyedList(key: string, before: Json[], after: Json[], mergeKey: string, path: string): Json {
  const old = new Map(before.map((element) => [element[mergeKey], element]));
  const kept = new Set(after.map((element) => element[mergeKey]));
  const changes = after.flatMap((element): Json[] => {
    const previous = old.get(element[mergeKey]);
    if (previous === undefined) return [element];
    const change = patchObject(previous, element, `${path}[]`);
    return change === undefined ? [] : [{ ...change, [mergeKey]: element[mergeKey] }];
  });
  const removed = [...old.keys()].filter((id) => !kept.has(id)).map((id) => ({ $patch: 'delete', [mergeKey]: id }));
  const elements = [...changes, ...removed];
  return {
    [`$setElementOrder/${key}`]: after.map((element) => ({ [mergeKey]: element[mergeKey] })),
    ...(elements.length > 0 && { [key]: elements }),
  };
}
