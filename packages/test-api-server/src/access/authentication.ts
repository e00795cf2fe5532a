import type { ApiRequest } from '../requests/request.js';
import { unauthorized } from '../status.js';
import type { ServiceAccountTokens, TokenAnswer } from './tokens.js';
import type { RequestUser } from './user.js';

/** Authenticates requests. */
export interface ApiAuthenticationOptions {
  /** Users by bearer token. */
  tokens: Readonly<Record<string, RequestUser>>;
  /** The user of requests without credentials; false: they get 401. */
  anonymous: RequestUser | false;
}

/** The user of a bearer token, a fixed one, which is for this server, or that of a service account. */
export function tokenUser(
  token: string,
  { tokens }: ApiAuthenticationOptions,
  accounts: ServiceAccountTokens,
  audiences?: readonly string[],
): TokenAnswer {
  const fixed = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  if (fixed === undefined) return accounts.review(token, audiences);
  const common = accounts.audiences.filter((audience) => audiences?.includes(audience) ?? true);
  if (common.length === 0) return { error: 'invalid bearer token' };
  return { user: { ...fixed, groups: [...new Set([...(fixed.groups ?? []), 'system:authenticated'])] }, audiences: common };
}

/** The user of a request: from the transport, else from the bearer token. Throws 401 for an unknown token. */
export function authenticate(request: ApiRequest, options: ApiAuthenticationOptions, accounts: ServiceAccountTokens): RequestUser {
  return request.user ?? bearer(request, options, accounts);
}

function bearer({ headers }: ApiRequest, options: ApiAuthenticationOptions, accounts: ServiceAccountTokens): RequestUser {
  const header = headers?.authorization;
  if (header === undefined && options.anonymous) return options.anonymous;
  if (header === undefined) throw unauthorized();
  const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
  const answer = token === undefined ? undefined : tokenUser(token, options, accounts);
  if (answer === undefined || 'error' in answer) throw unauthorized();
  return answer.user;
}
