import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { TokenKeys } from '@nodeagent/test-api-server';
import { invalidFlag } from '../flags/go-flags.js';

/** A file of keys, PEM. */
export interface KeyFile {
  path: string;
  text: string;
}

/** The algorithms of RFC 7518 by the name of the curve; RSA keys have RS256. */
const curves: Readonly<Record<string, [alg: string, hash: string]>> = {
  prime256v1: ['ES256', 'sha256'],
  secp384r1: ['ES384', 'sha384'],
  secp521r1: ['ES512', 'sha512'],
};

/**
 * The keys of service account tokens: `signing` is a private key; `verifying` are private keys, public keys and certificates, as in the files of
 * kube-apiserver's flags.
 *
 * @throws NodeAgentError `InvalidFlag` for a file without a key
 */
export function tokenKeysOf(signing: KeyFile, verifying: readonly KeyFile[]): TokenKeys {
  const privateKey = blocksOf(signing)
    .filter(isPrivate)
    .map((block) => createPrivateKey(block))[0];
  if (privateKey === undefined) throw withoutKey(signing);
  const publicKeys = [createPublicKey(privateKey), ...verifying.flatMap((file) => publicKeysOf(file))];
  const [alg, hash] = algorithmOf(privateKey);
  return {
    header: { alg, kid: keyId(publicKeys[0] as KeyObject) },
    sign: (text) => sign(hash, Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url'),
    verify: (text, signature) =>
      publicKeys.some((key) =>
        verify(algorithmOf(key)[1], Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')),
      ),
    keys: [...new Map(publicKeys.map((key) => [keyId(key), key]))].map(([kid, key]) => ({
      ...{ use: 'sig', kid, alg: algorithmOf(key)[0] },
      ...key.export({ format: 'jwk' }),
    })),
  };
}

const isPrivate = (block: string) => block.includes('PRIVATE KEY-----');

const blocksOf = ({ text }: KeyFile) => text.match(/-----BEGIN ([A-Z ]+)-----[^-]*-----END \1-----/g) ?? [];

function publicKeysOf(file: KeyFile): KeyObject[] {
  const blocks = blocksOf(file).filter((block) => !block.startsWith('-----BEGIN EC PARAMETERS'));
  if (blocks.length === 0) throw withoutKey(file);
  return blocks.map((block) => createPublicKey(isPrivate(block) ? createPrivateKey(block) : block));
}

function algorithmOf({ asymmetricKeyDetails }: KeyObject): [alg: string, hash: string] {
  return curves[asymmetricKeyDetails?.namedCurve ?? ''] ?? ['RS256', 'sha256'];
}

/** As kube-apiserver names keys. */
const keyId = (key: KeyObject) =>
  createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('base64url');

const withoutKey = ({ path }: KeyFile) => invalidFlag(`failed to parse service-account key file: data in ${path} has no key`);
