import type { AdmissionRequest } from '../access/admission-request.js';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';

/** Checks or changes writes before they are executed: Kubernetes documentation, "Admission Control in Kubernetes". */
export interface AdmissionPlugin {
  /** As in `--enable-admission-plugins`. */
  readonly name: string;
  /** Changes the object in place, before it is validated. Throws to refuse the write. */
  mutate?(request: AdmissionRequest, context: ApiContext): void;
  /** Throws to refuse the write; called with the valid object, after all plugins have changed it. */
  validate?(request: AdmissionRequest, context: ApiContext): void;
}

/** Whether a request is a write of the resource itself, not of a subresource. */
export function isFor(request: AdmissionRequest, verb: AdmissionRequest['verb'], group: string, resource: string): boolean {
  return request.verb === verb && request.resource === resource && request.group === group && request.subresource === undefined;
}

/** The new object, as stored. */
export const objectOf = ({ object }: AdmissionRequest): ApiObject => object as ApiObject;

/** The object before the write, as stored. */
export const beforeOf = ({ before }: AdmissionRequest): ApiObject => before as ApiObject;
