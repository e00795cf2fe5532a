import type { RequestUser } from './user.js';

/** What somebody wants to do: Kubernetes documentation, "Authorization Overview: Request attributes used in authorization". */
export interface AccessAttributes {
  user: RequestUser;
  verb: string;
  /** The fields of a resource are absent for other paths. */
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
  /** Why not; goes into the 403's message. */
  reason?: string;
}

/** Decides who may do what. */
export type Authorizer = (attributes: AccessAttributes) => AccessDecision;

/** The default: everybody may do everything. */
export const allowAll: Authorizer = () => ({ allowed: true });
