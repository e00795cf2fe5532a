import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { issueCertificate } from './certificate.js';

const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const [notBefore, notAfter] = [Date.UTC(2026, 0, 2, 3, 4, 5), Date.UTC(2060, 11, 31)];

describe('issueCertificate', () => {
  it('issues certificates that Node parses, verifies and matches with names and addresses', () => {
    const authority = keys();
    const issuer = { subject: { commonName: 'ca' }, privateKey: authority.privateKey };
    const common = { issuer, notBefore, notAfter };
    const ca = new X509Certificate(
      issueCertificate({ ...common, subject: issuer.subject, publicKey: authority.publicKey, isAuthority: true }),
    );
    const own = keys();
    const leaf = new X509Certificate(
      issueCertificate({
        ...common,
        subject: { commonName: 'node-1', organizations: ['system:nodes', 'Käse & Söhne'] },
        publicKey: own.publicKey,
        hosts: ['node-1', 'node-1.example', '192.0.2.7', '2001:db8::7', '::1', '1:2:3:4:5:6:7:8'],
        usages: ['server', 'client'],
      }),
    );
    expect(ca.ca).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.verify(ca.publicKey) && leaf.checkIssued(ca) && leaf.checkPrivateKey(own.privateKey)).toBe(true);
    expect(leaf.subject).toBe('O=system:nodes\nO=Käse & Söhne\nCN=node-1');
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
    expect([Date.parse(leaf.validFrom), Date.parse(leaf.validTo)]).toEqual([notBefore, notAfter]);
    expect(leaf.checkHost('node-1.example')).toBe('node-1.example');
    for (const ip of ['192.0.2.7', '2001:db8::7', '::1', '1:2:3:4:5:6:7:8']) expect(leaf.checkIP(ip), ip).toBe(ip);
    expect(leaf.checkHost('node-2') ?? leaf.checkIP('192.0.2.8')).toBeUndefined();
  });
});
