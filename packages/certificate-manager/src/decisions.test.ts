import { createHash } from 'node:crypto';
import { apiStatusError } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { canonicalIP } from './canonical-ip.js';
import { clientTemplate } from './certificate-template.js';
import { type CertificateState, explainCertificate } from './explain-certificate.js';
import { chooseStoredFiles } from './initial-certificate.js';
import { isHealthyRefusal, requestOutcome, shouldExitWithoutCertificate } from './request-outcome.js';
import { rotationBackoffMs } from './rotation-backoff.js';
import { bootstrapRequestName, signingRequest } from './signing-request.js';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['010.0.0.5', '10.0.0.5'],
  ['256.0.0.1', undefined],
  ['1.2.3', undefined],
  ['FD00:0::2', 'fd00::2'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['fe80::1%eth0', undefined],
  ['n1', undefined],
])('canonicalIP of %s is %s', (text, ip) => {
  expect(canonicalIP(text)).toBe(ip);
});

it('lengthens each of the first four delays by up to 10 %, and then polls', () => {
  expect([1, 2, 3, 4, 5, 6].map((failures) => rotationBackoffMs(failures, 0.5))).toEqual([2_100, 4_200, 8_400, 16_800, 32_000, 32_000]);
});

it('names a bootstrap request by the hash of key, subject and usages', () => {
  const key = Buffer.from('key');
  const text = `${['key', 'system:node:n1', 'system:nodes', 'digital signature', 'client auth'].map((part) => Buffer.from(part).toString('base64url')).join('|')}|`;
  const name = `node-csr-${createHash('sha512-256').update(text).digest('base64url')}`;
  expect(bootstrapRequestName(key, clientTemplate('n1'))).toBe(name);
});

it('requests a serving certificate with its signer, usages and lifetime', () => {
  expect(signingRequest({ role: 'serving', csr: 'PEM', expirationSeconds: 3_600 })).toEqual({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { generateName: 'csr-' },
    spec: {
      request: 'UEVN',
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      expirationSeconds: 3_600,
    },
  });
});

it('reads the outcome of a request', () => {
  const spec = { request: '', signerName: 's' };
  const approved = { type: 'Approved', status: 'True' };
  expect(requestOutcome({ spec })).toEqual({ state: 'pending' });
  expect(requestOutcome({ spec, status: { certificate: 'UEVN' } })).toEqual({ state: 'pending' });
  expect(requestOutcome({ spec, status: { conditions: [approved] } })).toEqual({ state: 'approved' });
  expect(requestOutcome({ spec, status: { conditions: [approved], certificate: 'UEVN' } })).toEqual({
    state: 'issued',
    certificate: 'PEM',
  });
  const denied = { type: 'Denied', status: 'True', reason: 'r', message: 'm' };
  expect(requestOutcome({ spec, status: { conditions: [approved, denied], certificate: 'UEVN' } })).toEqual({
    state: 'denied',
    reason: 'r',
    message: 'm',
  });
});

it('counts refusals that a new certificate could end as those of a healthy API server', () => {
  const refusal = (reason: string, causes = [{ reason: 'x' }]) => apiStatusError({ code: 400, reason, message: '', causes });
  const unexpected = [{ reason: 'UnexpectedServerResponse' }];
  expect(['Unauthorized', 'NotFound', 'Forbidden', 'Conflict'].map((reason) => isHealthyRefusal(refusal(reason)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(isHealthyRefusal(refusal('Forbidden', unexpected))).toBe(false);
  expect(isHealthyRefusal(refusal('Unauthorized', unexpected))).toBe(true);
  expect(isHealthyRefusal(new Error('away'))).toBe(false);
});

it('exits after more than 5 minutes without a certificate, if the API server is healthy', () => {
  const input = { lastAvailableAt: 0, now: 300_000, isServerHealthy: true };
  expect(shouldExitWithoutCertificate(input)).toBe(false);
  expect(shouldExitWithoutCertificate({ ...input, now: 300_001 })).toBe(true);
  expect(shouldExitWithoutCertificate({ ...input, now: 300_001, isServerHealthy: false })).toBe(false);
});

it('loads the files of the last rotation first', () => {
  expect(chooseStoredFiles({ current: true, configured: true, default: true })).toBe('current');
  expect(chooseStoredFiles({ current: false, configured: true, default: true })).toBe('configured');
  expect(chooseStoredFiles({ current: false, configured: false, default: true })).toBe('default');
  expect(chooseStoredFiles({ current: false, configured: false, default: false })).toBeUndefined();
});

describe('explainCertificate', () => {
  const certificate = { ...clientTemplate('n1'), notBefore: Date.UTC(2026, 1), notAfter: Date.UTC(2027, 1) };
  const state: CertificateState = { phase: 'stopped', certificate, now: Date.UTC(2026, 5), failures: 0 };

  it.each<[Partial<CertificateState>, string]>([
    [{}, 'the certificate of system:node:n1 is valid until 2027-02-01T00:00:00Z; rotation is off'],
    [
      { now: Date.UTC(2026, 0) },
      'the certificate of system:node:n1 is valid from 2026-02-01T00:00:00Z, but it is 2026-01-01T00:00:00Z: check the clocks of the node and the signer; rotation is off',
    ],
    [{ certificate: undefined, phase: 'noTemplate' }, 'no certificate; waiting for an IP address of the node'],
    [
      { phase: 'requesting', failures: 2, lastError: 'away' },
      'the certificate of system:node:n1 is valid until 2027-02-01T00:00:00Z; waiting for the signer, after 2 failed attempts, the last: away',
    ],
  ])('%j', (changes, text) => {
    expect(explainCertificate({ ...state, ...changes })).toBe(text);
  });
});
