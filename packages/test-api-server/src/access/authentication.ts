import type { ApiRequest } from '../requests/request.js';
import { unauthorized } from '../status.js';
import type { ServiceAccountTokens } from './tokens.js';
import type { RequestUser } from './user.js';

/** How the server knows who calls. */
export interface ApiAuthenticationOptions {
  /** Users by their bearer tokens. */
  tokens: Readonly<Record<string, RequestUser>>;
  /** Who calls without any credentials. */
  anonymous: RequestUser;
}

/** Whose bearer token it is, one of the fixed ones or a service account's. */
export function tokenUser(
  token: string,
  { tokens }: ApiAuthenticationOptions,
  accounts: ServiceAccountTokens,
  audiences?: readonly string[],
): RequestUser | undefined {
  const user = Object.hasOwn(tokens, token) ? tokens[token] : accounts.review(token, audiences);
  return user && { ...user, groups: [...new Set([...(user.groups ?? []), 'system:authenticated'])] };
}

/** Who makes a request: the transport's word, else the bearer token's owner. Throws 401 for a token that is nobody's. */
export function authenticate(request: ApiRequest, options: ApiAuthenticationOptions, accounts: ServiceAccountTokens): RequestUser {
  return impersonated(request, request.user ?? bearer(request, options, accounts));
}

function bearer({ headers }: ApiRequest, options: ApiAuthenticationOptions, accounts: ServiceAccountTokens): RequestUser {
  const header = headers?.authorization;
  if (header === undefined) return options.anonymous;
  const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
  const user = token === undefined ? undefined : tokenUser(token, options, accounts);
  if (user === undefined) throw unauthorized();
  return user;
}

/** Kubernetes documentation, "User Impersonation". */
function impersonated({ headers }: ApiRequest, user: RequestUser): RequestUser {
  const username = headers?.['impersonate-user'];
  if (!username) return user;
  const groups = (headers?.['impersonate-group'] ?? '')
    .split(',')
    .map((group) => group.trim())
    .filter(Boolean);
  return { username, groups: [...groups, 'system:authenticated'] };
}
