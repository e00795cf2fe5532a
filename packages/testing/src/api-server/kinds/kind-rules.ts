import type { ApiContext, WriteOptions } from '../context.js';
import type { ApiObject } from '../objects.js';

/** What is wrong with one field. */
export interface FieldProblem {
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
  validate?(object: ApiObject, context: ApiContext): FieldProblem[];
  /** What may not change. */
  validateUpdate?(object: ApiObject, before: ApiObject, subresource: string | undefined): FieldProblem[];
  /** The rules its names follow; default those of a DNS subdomain. */
  nameProblems?(name: string): string[];
  /** A status given at creation counts, which is otherwise the controllers' to write. */
  keepsStatusOnCreate?: true;
  /** Its validation covers the metadata. */
  validatesMetadata?: true;
}
