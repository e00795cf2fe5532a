import type { AdmissionRequest } from '../access/admission-request.js';
import type { ApiContext } from '../context.js';
import { rulesOf } from '../kinds/rules.js';
import { objectOf } from './plugin.js';

/** Sets the defaults of a new object, for webhooks and policies: kinds without `applyDefaults` have them from `prepareCreate`. */
export function setDefaults(request: AdmissionRequest, context: ApiContext): void {
  const { definition, verb, subresource, user, object } = request;
  if (verb !== 'create' || subresource !== undefined || object === undefined) return;
  const rules = rulesOf(definition);
  if (rules.applyDefaults) rules.applyDefaults(objectOf(request));
  else rules.prepareCreate?.(objectOf(request), context, { user, fieldManager: '' });
}
