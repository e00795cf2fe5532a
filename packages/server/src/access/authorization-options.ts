import type { ObjectCreator, SubjectAccessReview } from '@nodeagent/api';

/** Who may do what; names of KubeletConfiguration's `authorization`. */
export type AuthorizationOptions =
  /** Everybody who was let in may do everything. */
  | { mode: 'AlwaysAllow' }
  | {
      mode: 'Webhook';
      /** Asks the API server. */
      subjectAccessReviews: ObjectCreator<SubjectAccessReview>;
      /** How long what is allowed stays so, in milliseconds. Default 5 min. */
      cacheAuthorizedTTLMs?: number;
      /** The same for what is not. Default 30 s. */
      cacheUnauthorizedTTLMs?: number;
    };
