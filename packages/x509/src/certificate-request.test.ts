import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createCertificateRequest } from './certificate-request.js';
import { parseCertificateRequest } from './parse-certificate-request.js';
import { decodePem, encodePem } from './pem.js';
import { readCertificateRequest } from './read-certificate-request.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const subject = { commonName: 'system:node:n1', organizations: ['system:nodes', 'Käse & Söhne'] };
const names = { dnsNames: ['n1', '10.0.0.20', `${'long-'.repeat(30)}.example`], ips: ['192.0.2.7', '2001:db8::7'] };
const request = createCertificateRequest({ subject, ...keys, ...names });

describe('createCertificateRequest', () => {
  it('creates a request that parseCertificateRequest reads back', () => {
    const parsed = parseCertificateRequest(request);
    expect(parsed).toMatchObject({ subject, ...names });
    expect(parsed.publicKey.export({ type: 'spki', format: 'der' })).toEqual(keys.publicKey.export({ type: 'spki', format: 'der' }));
    const plain = createCertificateRequest({ subject: { commonName: 'n' }, ...keys });
    expect(parseCertificateRequest(plain)).toMatchObject({ subject: { commonName: 'n', organizations: [] }, dnsNames: [], ips: [] });
  });

  it.runIf(hasOpenssl)('creates a request that openssl verifies', () => {
    const run = (...options: string[]) =>
      execFileSync('openssl', ['req', '-noout', ...options], { input: request, stdio: 'pipe', encoding: 'utf8' });
    const text = run('-verify', '-text', '-nameopt', 'utf8,sep_comma_plus');
    expect(text).toContain('Subject: O=system:nodes,O=Käse & Söhne,CN=system:node:n1');
    expect(text).toContain('DNS:n1, DNS:10.0.0.20');
    expect(text).toContain('IP Address:192.0.2.7, IP Address:2001:DB8:0:0:0:0:0:7');
    expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256');
  });
});

if (!hasOpenssl) console.log('skipped: certificate requests of openssl, because it is not installed');

describe('parseCertificateRequest', () => {
  const refused = expect.objectContaining({ code: 'InvalidCertificateRequest' });

  it('refuses a request that was changed, and every truncation of one', () => {
    const der = Buffer.from(decodePem('CERTIFICATE REQUEST', request) ?? []);
    const changed = Buffer.from(der);
    changed.write('n2', changed.indexOf('node:n1') + 5);
    expect(() => parseCertificateRequest(encodePem('CERTIFICATE REQUEST', changed))).toThrow(refused);
    for (let length = 0; length < der.length; length++) {
      const truncated = encodePem('CERTIFICATE REQUEST', der.subarray(0, length));
      expect(() => parseCertificateRequest(truncated), `${length}`).toThrow(refused);
    }
    expect(() => parseCertificateRequest('nonsense')).toThrow(refused);
  });

  it('verifies the signature, which readCertificateRequest does not', () => {
    const der = Buffer.from(decodePem('CERTIFICATE REQUEST', request) ?? []);
    der.write('n2', der.indexOf('node:n1') + 5);
    const forged = encodePem('CERTIFICATE REQUEST', der);
    expect(readCertificateRequest(forged)).toMatchObject({ subject: { commonName: 'system:node:n2' }, ...names });
    expect(() => parseCertificateRequest(forged)).toThrow(refused);
  });

  it('refuses bytes after the request, as Go does', () => {
    const der = Buffer.from(decodePem('CERTIFICATE REQUEST', request) ?? []);
    expect(() => parseCertificateRequest(encodePem('CERTIFICATE REQUEST', Buffer.concat([der, der])))).toThrow(refused);
  });

  it.runIf(hasOpenssl)('reads a request that openssl creates', () => {
    const pem = execFileSync(
      'openssl',
      [
        'req',
        '-new',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        '/dev/null',
        '-subj',
        '/O=o/CN=c',
        '-addext',
        'subjectAltName=DNS:d,IP:1.2.3.4',
      ],
      { stdio: 'pipe', encoding: 'utf8' },
    );
    expect(parseCertificateRequest(pem)).toMatchObject({
      subject: { commonName: 'c', organizations: ['o'] },
      dnsNames: ['d'],
      ips: ['1.2.3.4'],
    });
  });
});
