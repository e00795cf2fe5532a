import type { ObjectCreator, SubjectAccessReview } from '@nodeagent/api';

/** Authorization settings with the names of KubeletConfiguration's `authorization`. */
export type AuthorizationOptions =
  /** Every authenticated user may do everything. */
  | { mode: 'AlwaysAllow' }
  | {
      mode: 'Webhook';
      /** Authorizes requests at the API server. */
      subjectAccessReviews: ObjectCreator<SubjectAccessReview>;
      /** Milliseconds for which an allowed request is cached. Default 5 min. */
      cacheAuthorizedTTLMs?: number;
      /** Milliseconds for which a denied request is cached. Default 30 s. */
      cacheUnauthorizedTTLMs?: number;
    };
