import { forbidden } from '../status.js';
import type { RequestUser } from './user.js';

/** Attributes of a request: Kubernetes documentation, "Authorization Overview: Request attributes used in authorization". */
export interface AccessAttributes {
  user: RequestUser;
  verb: string;
  /** Absent for non-resource paths, as the other resource fields. */
  isResource: boolean;
  path?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
}

export interface AccessDecision {
  allowed: boolean;
  /** Reason of a denial, for the message of the 403. */
  reason?: string;
}

/** Authorizes requests. */
export type Authorizer = (attributes: AccessAttributes) => AccessDecision;

/** The default: allows all requests. */
export const allowAll: Authorizer = () => ({ allowed: true });

/** Throws 403 unless the user may do this. */
export function requireAccess(authorize: Authorizer, attributes: AccessAttributes): void {
  const { allowed, reason } = authorize(attributes);
  if (allowed) return;
  const { resource, group, name } = attributes;
  const subject = { ...(resource && { kind: resource }), ...(group && { group }), ...(name && { name }) };
  throw forbidden(subject, `${denialOf(attributes)}${reason ? `: ${reason}` : ''}`);
}

/** Why a user must not do something, in the words of an API server. */
export function denialOf({
  user,
  verb,
  isResource,
  path = '',
  group = '',
  resource = '',
  subresource,
  namespace,
}: AccessAttributes): string {
  const what = isResource
    ? `cannot ${verb} resource "${subresource ? `${resource}/${subresource}` : resource}" in API group "${group}"`
    : `cannot ${verb} path "${path}"`;
  const where = !isResource ? '' : namespace ? ` in the namespace "${namespace}"` : ' at the cluster scope';
  return `User "${user.username}" ${what}${where}`;
}
