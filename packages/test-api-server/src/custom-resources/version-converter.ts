import type { ApiObject } from '../objects.js';

/** Converts objects between the versions of a resource. */
export interface VersionConverter {
  /** Rejects with 500 if the webhook fails. The results have the order of the objects. */
  convert(objects: readonly ApiObject[], apiVersion: string): Promise<ApiObject[]>;
}
