import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@nodeagent/api';
import { requiredAttributes } from '../auth-attributes.js';
import type { RouteRefusal } from '../refusal.js';
import type { Access } from '../serve-request.js';
import { type Authenticator, anonymousUser } from './authenticator.js';
import type { AccessAuthorizer } from './authorizer.js';
import { bearerToken, removeCredentials } from './bearer-token.js';
import { judgeCertificate } from './client-certificate.js';
import { foreignOrigin } from './foreign-origin.js';

export interface AccessOptions {
  nodeName: string;
  authenticate: Authenticator;
  authorize: AccessAuthorizer;
  clock: Clock;
  /** Whether client certificates were requested. */
  asksForCertificates: boolean;
  /** Called with the connection of each request whose client has authenticated; anonymous clients have not. */
  onAuthenticated(socket: Socket): void;
}

/** Closes the connection, so that an unauthenticated client cannot keep it open. */
const unauthorized: RouteRefusal = { status: 401, body: 'Unauthorized', headers: { connection: 'close' } };

/**
 * Authenticates a request, refuses those of other websites, and authorizes the rest. Credentials are removed from the request. An allowed
 * client's further permissions can be asked for.
 */
export function createAccess(options: AccessOptions): Access {
  const { nodeName, authenticate, authorize, clock, asksForCertificates, onAuthenticated } = options;
  return async (request: IncomingMessage, path, signal) => {
    const certificate = asksForCertificates ? judgeCertificate(request.socket as TLSSocket, clock.now()) : undefined;
    const user = await authenticate({ certificate, token: bearerToken(request) }, signal);
    removeCredentials(request);
    if (user === undefined) return unauthorized;
    if (user.username !== anonymousUser) onAuthenticated(request.socket);
    const origin = foreignOrigin(request);
    if (origin !== undefined) return crossOrigin(origin);
    const refusalOf = async (method: string, wanted: string) => {
      for (const attributes of requiredAttributes(method, wanted, nodeName)) {
        const refusal = await authorize(user, attributes, signal);
        if (refusal) return refusal;
      }
      return undefined;
    };
    const refusal = await refusalOf(request.method ?? '', path);
    return refusal ?? (async (method, wanted) => (await refusalOf(method, wanted)) === undefined);
  };
}

const crossOrigin = (origin: string): RouteRefusal => ({
  status: 403,
  body: `Forbidden: a request of a web page of another origin (${JSON.stringify(origin)})\n`,
});
