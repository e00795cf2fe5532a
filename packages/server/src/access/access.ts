import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@nodeagent/api';
import { requestAttributes } from '../auth-attributes.js';
import type { Access } from '../serve-request.js';
import type { Authenticator } from './authenticator.js';
import type { AccessAuthorizer } from './authorizer.js';
import { bearerToken, removeCredentials } from './bearer-token.js';
import { judgeCertificate } from './client-certificate.js';

export interface AccessOptions {
  nodeName: string;
  authenticate: Authenticator;
  authorize: AccessAuthorizer;
  clock: Clock;
  /** Whether clients were asked for certificates. */
  asksForCertificates: boolean;
}

/** Who is it, and may they? What they showed goes no further. */
export function createAccess({ nodeName, authenticate, authorize, clock, asksForCertificates }: AccessOptions): Access {
  return async (request: IncomingMessage, path, signal) => {
    const certificate = asksForCertificates ? judgeCertificate(request.socket as TLSSocket, clock.now()) : undefined;
    const user = await authenticate({ certificate, token: bearerToken(request) }, signal);
    removeCredentials(request);
    if (user === undefined) return { status: 401, body: 'Unauthorized' };
    return authorize(user, requestAttributes(request.method ?? '', path, nodeName), signal);
  };
}
