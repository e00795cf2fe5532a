import { errorCode, errorMessage } from '@nodeagent/api';
import type { ApiContext, WriteOptions } from '../context.js';
import type { ApiObject } from '../objects.js';
import type { ServedResource } from '../registry/resource.js';
import { badRequest } from '../status.js';

/** A problem of one field. */
export interface KindFieldProblem {
  field: string;
  problem: string;
}

/** The problem of a value that is longer than a number of bytes. */
export const tooLong = (field: string, maxBytes: number): KindFieldProblem => ({
  field,
  problem: `Too long: may not be more than ${maxBytes} bytes`,
});

/**
 * Rules of one kind in addition to those of all kinds. Objects are copies in the stored form: `prepare` functions may
 * change them.
 */
export interface KindRules {
  /** Sets the defaults of the API before admission. Default: `prepareCreate` sets them after it. */
  applyDefaults?(object: ApiObject): void;
  /** Sets defaults and fields of the server. */
  prepareCreate?(object: ApiObject, context: ApiContext, options: WriteOptions): void;
  prepareUpdate?(object: ApiObject, before: ApiObject, context: ApiContext): void;
  /** Prepares an object whose deletion is requested; returns it, or a changed copy. */
  prepareDelete?(object: ApiObject, context: ApiContext): ApiObject;
  /** Validates an object with defaults. */
  validate?(object: ApiObject, context: ApiContext): KindFieldProblem[];
  /** Validates a change. */
  validateUpdate?(object: ApiObject, before: ApiObject, subresource: string | undefined): KindFieldProblem[];
  /** The rules of names; default those of a DNS subdomain. */
  nameProblems?(name: string): string[];
  /** Whether a creation can set the status; otherwise it is dropped. */
  keepsStatusOnCreate?: true;
  /** Whether `validateUpdate` covers what `validate` does, so that an update calls only the former. */
  validatesUpdates?: true;
  /** Whether `validate` covers the metadata. */
  validatesMetadata?: true;
}

/**
 * Runs the rules of a kind on a client's object. The rules trust the types of fields, so a wrong type makes them throw: that is
 * rejected with 400 as a field that cannot be decoded.
 */
export function onUncheckedTypes<T>({ kind, version }: Pick<ServedResource, 'kind' | 'version'>, rules: () => T): T {
  try {
    return rules();
  } catch (error) {
    const isQuantity = errorCode(error) === 'InvalidQuantity';
    if (!isQuantity && !(error instanceof TypeError)) throw error;
    const problem = isQuantity ? errorMessage(error) : `a field has the wrong type: ${errorMessage(error)}`;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
  }
}
