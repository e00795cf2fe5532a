import type { ApiContext, WriteOptions } from '../context.js';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { badRequest } from '../status.js';

/** What is wrong with one field. */
export interface KindFieldProblem {
  field: string;
  problem: string;
}

/**
 * What the server does for one kind beyond what it does for all. Objects are fresh copies in the kept form: `prepare` functions may
 * change them.
 */
export interface KindRules {
  /** Fills in defaults and what only the server decides; throws a refusal of admission. */
  prepareCreate?(object: ApiObject, context: ApiContext, options: WriteOptions): void;
  prepareUpdate?(object: ApiObject, before: ApiObject, context: ApiContext): void;
  /** Throws if the object may never be deleted. */
  checkDelete?(object: ApiObject): void;
  /** What is wrong with an object, defaults filled in. */
  validate?(object: ApiObject, context: ApiContext): KindFieldProblem[];
  /** What may not change. */
  validateUpdate?(object: ApiObject, before: ApiObject, subresource: string | undefined): KindFieldProblem[];
  /** The rules its names follow; default those of a DNS subdomain. */
  nameProblems?(name: string): string[];
  /** A status given at creation counts, which is otherwise the controllers' to write. */
  keepsStatusOnCreate?: true;
  /** Its validation covers the metadata. */
  validatesMetadata?: true;
}

/**
 * Runs the rules of a kind on an object from outside. They trust the types of fields, so one of another type makes them stumble: that is
 * the object's fault, and refused with 400 as a field that cannot be decoded.
 */
export function onUncheckedTypes<T>({ kind, version }: ServedResource, rules: () => T): T {
  try {
    return rules();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: a field has the wrong type: ${error.message}`);
  }
}
