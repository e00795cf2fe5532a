import { equalJson, formatTime, isObject } from '@nodeagent/api/helpers';
import { applyConflict } from './apply-conflict.js';
import { checkApplied } from './check-applied.js';
import type { FieldSchema, JsonObject } from './field-schema.js';
import { differenceOf, equalSets, type FieldSet, intersectionOf, isEmptySet, noFields, unionOf } from './field-set.js';
import { appliedFields, changedFields, type FieldChanges } from './fields-of.js';
import {
  isSameManager,
  type ManagedFields,
  type Manager,
  managedFieldsOf,
  withManagedFields,
  withoutManagedFields,
  withoutUnmanaged,
} from './managed-fields.js';
import { mergeApplied, removeUnowned, withoutNulls } from './merge-applied.js';

interface Write {
  /** The request's `fieldManager`. */
  manager: string;
  /** The API version of the request, such as `apps/v1`. */
  apiVersion: string;
  /** The subresource of the request, such as `status`. */
  subresource?: string;
  /** From `builtInSchema` or `customSchema`. Absent: lists have one owner, objects are merged. */
  schema?: FieldSchema;
  /**
   * Fields of the object that this request can neither change nor own, such as `status` if that is a subresource.
   * Default: none.
   */
  ignored?: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

export interface ApplyRequest extends Write {
  /** The stored object; absent if this apply creates it. */
  live?: JsonObject;
  /** The complete intent of the manager: it gives up fields that it applied before and that are absent now. */
  applied: JsonObject;
  /** Whether to take ownership of conflicting fields instead of rejecting the apply. Default false. */
  force?: boolean;
}

/**
 * Server-side apply: merges a manager's intent into the object and updates `managedFields`. Removes fields that this manager gave up and
 * that have no other owner. Returns the live object itself if nothing changed, including ownership. Throws the API server's errors:
 * `Conflict` with a cause `FieldManagerConflict` for each field that another manager owns with another value. Kubernetes documentation,
 * "Server-Side Apply".
 */
export function serverSideApply(request: ApplyRequest): JsonObject {
  const { live, schema, force = false, ignored = [], now } = request;
  checkApplied(request.applied, schema);
  const applied = without(withoutNulls(request.applied), ignored);
  const self = managerOf(request, 'Apply');
  const before = live && withoutManagedFields(live);
  const managers = knownManagers(live, request);
  const last = managers.find((entry) => isSameManager(entry, self));
  const others = managers.filter((entry) => entry !== last);
  const wanted = appliedFields(applied, schema);

  const owned = others.reduce((all, entry) => unionOf(all, entry.fields), wanted);
  const merged = mergeApplied(before, applied, schema);
  const after = removeUnowned(merged, last?.fields ?? noFields, owned, schema) as JsonObject;

  const changes = changedFields(before ?? {}, after, schema);
  const conflicts = others.flatMap((owner) => {
    const fields = intersectionOf(owner.fields, changes.set);
    return isEmptySet(fields) ? [] : [{ owner, fields }];
  });
  if (conflicts.length > 0 && !force) throw applyConflict(conflicts);

  const fields = withoutUnmanaged(wanted);
  if (live && last && equalJson(before, after) && equalSets(last.fields, fields)) return live;
  return withManagedFields(after, [...others.map((entry) => giveUp(entry, changes)), { ...self, fields, time: formatTime(now) }]);
}

export interface UpdateRequest extends Write {
  /** The previous object; absent if this write creates it. */
  before?: JsonObject;
  /** The object to write, with defaults. */
  after: JsonObject;
  operation?: 'Update';
}

/**
 * Updates `managedFields` after any other write: the manager owns the changed fields, other managers lose them.
 * Without `managedFields` in the request the existing managers stay; a single empty entry clears them. Kubernetes documentation,
 * "Server-Side Apply: Field management, Clearing managedFields".
 */
export function trackUpdate(request: UpdateRequest): JsonObject {
  const { before, after, schema, ignored = [], now } = request;
  if (isReset(after)) return withoutManagedFields(after);
  const self = managerOf(request, 'Update');
  const sent = managedFieldsOf(after);
  const managers = sent.length > 0 ? sent : managedFieldsOf(before);
  const old = before ? without(withoutManagedFields(before), ignored) : nothing;
  const changes = changedFields(old, without(withoutManagedFields(after), ignored), schema);
  const previous = managers.find((entry) => isSameManager(entry, self));
  const others = managers.filter((entry) => entry !== previous).map((entry) => giveUp(entry, changes));
  const changed = withoutUnmanaged(changes.set);
  const fields = differenceOf(unionOf(previous?.fields ?? noFields, changed), changes.removed);
  const time = previous?.time !== undefined && isEmptySet(changed) ? previous.time : formatTime(now);
  return withManagedFields(after, [...others, { ...self, fields, time }]);
}

/** The base for comparing a new object: every object has these parts, so they have no owner. */
const nothing: JsonObject = { metadata: {}, spec: {}, status: {} };

/** The object's managers; an object without managers is owned as a whole by the manager `before-first-apply`. */
function knownManagers(live: JsonObject | undefined, { schema, apiVersion, now }: ApplyRequest): ManagedFields[] {
  const managers = managedFieldsOf(live);
  if (!live || managers.length > 0) return managers;
  const fields: FieldSet = withoutUnmanaged(changedFields(nothing, live, schema).set);
  return [{ manager: 'before-first-apply', operation: 'Update', apiVersion, time: formatTime(now), fields }];
}

function managerOf({ manager, apiVersion, subresource }: Write, operation: Manager['operation']): Manager {
  return { manager, operation, apiVersion, ...(subresource && { subresource }) };
}

/** The manager without the fields that another one has set or removed. */
function giveUp(entry: ManagedFields, { set, removed }: FieldChanges): ManagedFields {
  return { ...entry, fields: differenceOf(differenceOf(entry.fields, set), removed) };
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  const rest: Record<string, unknown> = { ...object };
  for (const name of fields) delete rest[name];
  return rest;
}

function isReset({ metadata }: JsonObject): boolean {
  const entries = isObject(metadata) ? metadata.managedFields : undefined;
  return Array.isArray(entries) && entries.length === 1 && isObject(entries[0]) && Object.keys(entries[0]).length === 0;
}
