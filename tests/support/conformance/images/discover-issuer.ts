import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { Program, ProgramContext } from '@nodeagent/memory-runtime';
import { flag } from './flags.js';

interface Claims {
  iss: string;
  aud: string[];
  exp: number;
}

const ownToken = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** `test-service-account-issuer-discovery`: verifies a token by the keys that the documents of its issuer name. */
export const discoverIssuer: Program = async (context) => {
  const { argv, files, stdout, now } = context;
  const [head = '', body = '', signature = ''] = files.readText(flag(argv, 'token-path', '')).split('.');
  const { alg, kid } = decode<{ alg: string; kid: string }>(head);
  const claims = decode<Claims>(body);
  stdout(`OK: got issuer ${claims.iss}`);
  const provider = await load<{ issuer: string; jwks_uri: string }>(context, `${claims.iss}/.well-known/openid-configuration`);
  if (provider.issuer !== claims.iss) throw new Error(`the provider is ${provider.issuer}`);
  const { keys } = await load<{ keys: (JsonWebKey & { kid: string })[] }>(context, provider.jwks_uri);
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) throw new Error(`no key ${kid}`);
  const publicKey = { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const };
  if (!/^(RS|ES)256$/.test(alg) || !verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))) {
    throw new Error('the signature is wrong');
  }
  if (!claims.aud.includes(flag(argv, 'audience', '')) || claims.exp * 1_000 < now())
    throw new Error('the token is for others, or expired');
  stdout('OK: got valid claims');
};

async function load<T>({ fetch, files }: ProgramContext, url: string): Promise<T> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${files.readText(ownToken)}` } });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const decode = <T>(part: string): T => JSON.parse(Buffer.from(part, 'base64url').toString()) as T;
