import { equalJson } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import type { CustomResource } from '../registry/resource.js';
import { AnswerNeeded } from '../requests/known-answers.js';
import { hasDefaults, withSchemaDefaults } from './defaults.js';
import { withoutUnknown } from './prune.js';

/** The apiVersion and kind of a resource. */
interface ObjectType {
  apiVersion: string;
  kind: string;
}

/** Stored objects as a version of the resource shows them. */
const views = new WeakMap<CustomResource, WeakMap<ApiObject, ApiObject>>();

/** Objects whose conversion has just failed. */
const failures = new WeakMap<ApiObject, { error: unknown }>();

function viewsOf(custom: CustomResource): WeakMap<ApiObject, ApiObject> {
  const known = views.get(custom);
  if (known) return known;
  const made = new WeakMap<ApiObject, ApiObject>();
  views.set(custom, made);
  return made;
}

/** A stored object in a version: converted, pruned and defaulted by its schema. Throws `AnswerNeeded` if a webhook has to convert it first. */
export function customView(custom: CustomResource, stored: ApiObject, type: ObjectType): ApiObject {
  const known = viewsOf(custom).get(stored);
  if (known) return known;
  requireViews(custom, [stored], type);
  return viewsOf(custom).get(stored) ?? view(custom, stored, type);
}

const isConverted = ({ converter }: CustomResource, { apiVersion }: ApiObject, type: ObjectType) =>
  converter !== undefined && apiVersion !== type.apiVersion;

/** Throws `AnswerNeeded` for the objects that a webhook has to convert first, all at once. */
export function requireViews(custom: CustomResource, stored: readonly ApiObject[], type: ObjectType): void {
  const missing = stored.filter((object) => isConverted(custom, object, type) && !viewsOf(custom).has(object));
  if (missing.length === 0) return;
  const failure = missing.map((object) => failures.get(object)).find((each) => each !== undefined);
  for (const object of missing) failures.delete(object);
  if (failure) throw failure.error;
  const versions = missing.map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`).join(' ');
  throw new AnswerNeeded(`show ${type.apiVersion} ${versions}`, () => prepareOrFail(custom, missing, type));
}

/** Keeps a failure for the run that asks again. */
async function prepareOrFail(custom: CustomResource, missing: readonly ApiObject[], type: ObjectType): Promise<void> {
  try {
    await prepareViews(custom, missing, type);
  } catch (error) {
    for (const object of missing) failures.set(object, { error });
  }
}

/** Converts objects by the webhook, so that {@link customView} has them. */
export async function prepareViews(custom: CustomResource, stored: readonly ApiObject[], type: ObjectType): Promise<void> {
  const missing = stored.filter((object) => isConverted(custom, object, type) && !viewsOf(custom).has(object));
  if (missing.length === 0 || !custom.converter) return;
  const converted = await custom.converter.convert(missing, type.apiVersion);
  for (const [index, object] of missing.entries()) viewsOf(custom).set(object, view(custom, converted[index] as ApiObject, type));
}

function view(custom: CustomResource, object: ApiObject, { apiVersion, kind }: ObjectType): ApiObject {
  const typed = object.apiVersion === apiVersion && object.kind === kind ? object : { ...object, apiVersion, kind };
  const { schema } = custom;
  if (schema === undefined) return typed;
  const pruned = withoutUnknown(typed, schema);
  const filled = hasDefaults(schema) ? withSchemaDefaults(pruned, schema) : pruned;
  // Most objects need no change, and then keep their identity.
  const shown = equalJson(filled, typed) ? typed : (filled as ApiObject);
  if (shown !== object) viewsOf(custom).set(object, shown);
  return shown;
}
