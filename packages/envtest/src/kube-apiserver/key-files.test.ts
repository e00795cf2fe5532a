import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { issueCertificate } from '@nodeagent/x509/node';
import { expect, it } from 'vitest';
import { tokenKeysOf } from './key-files.js';

const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1' | 'spki') => key.export({ type, format: 'pem' } as never).toString();
const file = (text: string) => ({ path: 'k.pem', text });

it.each([
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'pkcs1' as const],
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }), 'sec1' as const],
  ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'pkcs8' as const],
])('signs with %s, and verifies by private keys, public keys and certificates', (alg, { privateKey, publicKey }, type) => {
  const signer = tokenKeysOf(file(pem(privateKey, type)), []);
  expect(signer.header.alg).toBe(alg);
  const signature = signer.sign('text');
  const other = file(pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, 'pkcs8'));
  for (const text of [pem(privateKey, 'pkcs8'), pem(publicKey, 'spki')]) {
    const verifier = tokenKeysOf(other, [file(`\n${text}`)]);
    expect([verifier.verify('text', signature), verifier.verify('other', signature), verifier.verify('text', '!')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(verifier.keys).toMatchObject([{ alg: 'ES256' }, { alg, kid: signer.header.kid, use: 'sig' }]);
  }
  expect(tokenKeysOf(other, []).verify('text', signature)).toBe(false);
});

it('takes the key of a certificate', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const self = { subject: { commonName: 'sa' }, ...keys };
  const cert = issueCertificate({ ...self, issuer: self, notBefore: Date.UTC(2020), notAfter: Date.UTC(2040) });
  const { keys: published } = tokenKeysOf(file(pem(keys.privateKey, 'pkcs8')), [file(cert)]);
  expect(published).toHaveLength(1);
  expect(createPublicKey({ key: published[0] as never, format: 'jwk' }).equals(keys.publicKey)).toBe(true);
});

it('names a file without a key', () => {
  expect(() => tokenKeysOf(file('nothing'), [])).toThrow('data in k.pem has no key');
});
