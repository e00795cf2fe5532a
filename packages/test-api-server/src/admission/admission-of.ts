import type { AdmissionRequest } from '../access/admission-request.js';
import type { WriteOptions } from '../context.js';
import type { ServedResource } from '../registry/resource.js';

/** The admission request of a write. */
export function admissionOf(
  definition: ServedResource,
  verb: AdmissionRequest['verb'],
  place: Pick<AdmissionRequest, 'name' | 'namespace' | 'subresource'>,
  { user, dryRun = false, options, warn, annotate }: Pick<WriteOptions, 'user' | 'dryRun' | 'options' | 'warn' | 'annotate'>,
  objects: Pick<AdmissionRequest, 'object' | 'before'>,
): AdmissionRequest {
  const { group, resource } = definition;
  const reports = { ...(warn && { warn }), ...(annotate && { annotate }) };
  return { user, verb, group, resource, ...place, definition, dryRun, ...(options && { options }), ...reports, ...objects };
}
