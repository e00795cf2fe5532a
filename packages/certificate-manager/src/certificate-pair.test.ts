import { generateKeyPairSync } from 'node:crypto';
import { issueCertificate } from '@nodeagent/x509/node';
import { expect, it } from 'vitest';
import { createCertificatePair } from './certificate-pair.js';

it('leaves node:tls usable for a program that loads it later', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
  const cert = issueCertificate({ subject, publicKey, issuer: { subject, privateKey }, notBefore: 0, notAfter: Date.UTC(2049) });
  const { facts } = createCertificatePair(cert, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  expect(facts).toMatchObject(subject);
  expect((await import('node:tls')).createSecureContext).toBeTypeOf('function');
});
