import type { ObjectCreator, SubjectAccessReview } from '@nodeagent/api';
import type { GivenSettings } from '@nodeagent/api/helpers';
import type { authorizationSettings } from '../settings.js';

/** Authorization settings with the names of KubeletConfiguration's `authorization`. */
export type AuthorizationOptions =
  /** Every authenticated user may do everything. */
  | { mode: 'AlwaysAllow' }
  | ({
      mode: 'Webhook';
      /** Authorizes requests at the API server. */
      subjectAccessReviews: ObjectCreator<SubjectAccessReview>;
    } & GivenSettings<typeof authorizationSettings>);
