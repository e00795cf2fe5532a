import { createPrivateKey, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const service = 'registry.test';
const issuer = 'token.test';

/** A token server for `auth.token` of docker-registry: gives tokens for pulls to one user. */
export interface TokenServer {
  /** `auth` of the registry's configuration. */
  auth: object;
  /** The scopes for which it gave tokens, in order. */
  scopes: string[];
  stop(): Promise<void>;
}

/**
 * Starts a token server: Distribution's "Token Authentication Specification".
 * @param signer - certificate and key in PEM format, and the path of the certificate's file
 */
export async function startTokenServer(
  signer: { cert: string; key: string; file: string },
  user: string,
  password: string,
): Promise<TokenServer> {
  const chain = signer.cert.replace(/-----.*?-----|\s/g, '');
  const key = createPrivateKey(signer.key);
  const encode = (value: object | Buffer) => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');
  const scopes: string[] = [];

  function tokenFor(scope: string): string {
    const [type = '', name = '', actions = ''] = scope.split(':');
    const now = Math.floor(Date.now() / 1000);
    const access = scope === '' ? [] : [{ type, name, actions: actions.split(',') }];
    const claims = { iss: issuer, sub: user, aud: service, exp: now + 300, nbf: now - 10, iat: now, jti: String(scopes.length), access };
    const text = `${encode({ typ: 'JWT', alg: 'ES256', x5c: [chain] })}.${encode(claims)}`;
    return `${text}.${encode(sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }))}`;
  }

  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const isUser = request.headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const scope = searchParams.get('scope') ?? '';
    if (!isUser || searchParams.get('service') !== service) return void response.writeHead(401).end();
    scopes.push(scope);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token: tokenFor(scope), expires_in: 300 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const realm = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  return {
    auth: { token: { realm, service, issuer, rootcertbundle: signer.file } },
    scopes,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
