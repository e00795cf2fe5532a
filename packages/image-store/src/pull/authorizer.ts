import { type Clock, NodeAgentError } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';
import { type AuthChallenge, parseChallenges } from '../registry/challenge.js';
import { basicAuthorization, parseTokenResponse, type RegistryCredentials, tokenRequest } from '../registry/token.js';
import { type Connection, readBody } from './connection.js';

/** Authenticates the requests for one repository at one endpoint. */
export interface Authorizer {
  /** The header Authorization of the next request; undefined before a challenge, and if the registry demands none. */
  header(): string | undefined;
  /**
   * Answers a challenge: the next requests have another header. Calls for one refused header share the answer.
   * @param refused - the header of the request that was refused
   * @returns false if nothing else can be sent than what was refused
   */
  answer(challenge: string | undefined, refused: string | undefined, signal: AbortSignal): Promise<boolean>;
}

const maxTokenBytes = 256 * 1024;

/** Creates an {@link Authorizer}. */
export function createAuthorizer(
  connection: Connection,
  { url, repository }: { url: string; repository: string },
  credentials: RegistryCredentials | undefined,
  clock: Pick<Clock, 'monotonic'>,
): Authorizer {
  let current = credentials?.registryToken ? `Bearer ${credentials.registryToken}` : undefined;
  let validUntil = Number.POSITIVE_INFINITY;
  let pending: Promise<boolean> | undefined;

  async function fetchToken(challenge: AuthChallenge, signal: AbortSignal): Promise<void> {
    const request = tokenRequest(challenge, repository, credentials, url);
    const isElsewhere = new URL(request.url).origin !== new URL(url).origin;
    const response = await connection.send({ ...request, isElsewhere, signal });
    const { statusCode: status = 0 } = response;
    const body = await readBody(connection, response, maxTokenBytes, signal);
    if (status !== 200) throw tokenRefused(status);
    const { token, validMs } = parseTokenResponse(body?.toString() ?? '');
    current = `Bearer ${token}`;
    validUntil = clock.monotonic() + validMs;
  }

  async function renew(header: string | undefined, refused: string | undefined, signal: AbortSignal): Promise<boolean> {
    const challenges = parseChallenges(header ?? '');
    const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
    if (bearer !== undefined && !credentials?.registryToken) {
      await fetchToken(bearer, signal);
      return true;
    }
    const hasBasic = challenges.some(({ scheme }) => scheme === 'basic') && credentials?.username !== undefined;
    if (!hasBasic || refused?.startsWith('Basic')) return false;
    current = basicAuthorization(credentials);
    return true;
  }

  return {
    header() {
      if (clock.monotonic() >= validUntil) current = undefined;
      return current;
    },
    async answer(header, refused, signal) {
      if (pending === undefined && current !== refused && current !== undefined) return true;
      pending ??= renew(header, refused, signal).finally(() => {
        pending = undefined;
      });
      return pending;
    },
  };
}

function tokenRefused(status: number): NodeAgentError {
  const isRefused = status >= 400 && status < 500 && status !== 429 && status !== 408;
  const code = isRefused ? imageStoreErrorCodes.unauthorized : imageStoreErrorCodes.registryUnavailable;
  return new NodeAgentError(code, `the token server answered with status ${status}`, { retryable: !isRefused, details: { status } });
}
