import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { TokenKeys } from '../access/token-keys.js';

/** Creates an ECDSA key (ES256) for the tokens of service accounts, by default a new one; private keys are PEM. */
export function createTokenKeys(known?: string): { privateKey: string; keys: TokenKeys } {
  const privateKey = known === undefined ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : createPrivateKey(known);
  const publicKey = createPublicKey(privateKey);
  const kid = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const dsaEncoding = 'ieee-p1363';
  const keys: TokenKeys = {
    header: { alg: 'ES256', kid },
    keys: [{ use: 'sig', kid, alg: 'ES256', ...publicKey.export({ format: 'jwk' }) }],
    sign: (text) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding }).toString('base64url'),
    verify: (text, signature) => verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding }, Buffer.from(signature, 'base64url')),
  };
  return { privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), keys };
}
