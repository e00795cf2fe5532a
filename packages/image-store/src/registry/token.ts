import { NodeAgentError } from '@nodeagent/api';
import { encodeBase64, encodeUtf8, isObject } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import type { AuthChallenge } from './challenge.js';

/** Credentials of a registry, as the CRI's AuthConfig has them. */
export interface RegistryCredentials {
  username?: string;
  password?: string;
  /** A refresh token, which the registry's token server exchanges for access tokens. */
  identityToken?: string;
  /** An access token, which is sent to the registry as it is. */
  registryToken?: string;
}

/** A request to a token server. */
export interface RegistryTokenRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** A form. */
  body?: string;
}

/** An access token. */
export interface AccessToken {
  token: string;
  /** Milliseconds for which it is valid. */
  validMs: number;
}

const clientId = 'nodeagent';
const minValidSeconds = 60;
const maxTokenLength = 64 * 1024;

/** The value of the header Authorization for a user and a password. */
export const basicAuthorization = ({ username = '', password = '' }: RegistryCredentials) =>
  `Basic ${encodeBase64(encodeUtf8(`${username}:${password}`))}`;

/**
 * The request for a token that a bearer challenge demands: Distribution's "Token Authentication Specification". With an identity token it is a POST
 * with grant type `refresh_token`, else a GET with the password, if there is one. Throws `InvalidRegistryResponse` if the realm is not a URL, or if
 * a registry that is reached by HTTPS names one without it, to which no credentials are sent.
 * @param registryUrl - of the request that was refused
 */
export function tokenRequest(
  { parameters }: AuthChallenge,
  repository: string,
  credentials: RegistryCredentials | undefined,
  registryUrl: string,
): RegistryTokenRequest {
  const { service, scope = `repository:${repository}:pull` } = parameters;
  const realm = realmOf(parameters.realm, registryUrl);
  const fields = new URLSearchParams({ ...(service !== undefined && { service }), scope });
  if (credentials?.identityToken) {
    fields.set('grant_type', 'refresh_token');
    fields.set('client_id', clientId);
    fields.set('refresh_token', credentials.identityToken);
    return { method: 'POST', url: realm.href, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: fields.toString() };
  }
  for (const [name, value] of fields) realm.searchParams.set(name, value);
  const isAnonymous = !credentials?.username && !credentials?.password;
  return { method: 'GET', url: realm.href, headers: isAnonymous ? {} : { authorization: basicAuthorization(credentials ?? {}) } };
}

function realmOf(text: string | undefined, registryUrl: string): URL {
  const realm = URL.canParse(text ?? '') ? new URL(text ?? '') : undefined;
  const isSafe = realm?.protocol === 'https:' || (realm?.protocol === 'http:' && registryUrl.startsWith('http:'));
  if (realm !== undefined && isSafe) return realm;
  throw new NodeAgentError(
    imageStoreErrorCodes.invalidResponse,
    `the registry names no token server that can be used: realm ${JSON.stringify(text?.slice(0, 200))}`,
  );
}

/** The token of a token server's answer, which is valid for at least a minute. Throws `InvalidRegistryResponse`. */
export function parseTokenResponse(text: string): AccessToken {
  const invalid = (cause?: unknown) =>
    new NodeAgentError(imageStoreErrorCodes.invalidResponse, 'the token server sent no token', { cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(cause);
  }
  if (!isObject(value)) throw invalid();
  const token = value.token || value.access_token;
  if (typeof token !== 'string' || token.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(token)) throw invalid();
  const seconds = typeof value.expires_in === 'number' && value.expires_in > minValidSeconds ? value.expires_in : minValidSeconds;
  return { token, validMs: seconds * 1000 };
}
