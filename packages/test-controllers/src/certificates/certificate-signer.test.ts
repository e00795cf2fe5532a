import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import type { CertificateSigningRequest } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { createVirtualClock } from '@nodeagent/testing';
import { createCertificateRequest } from '@nodeagent/x509/node';
import { describe, expect, it } from 'vitest';
import type { CertificateSignerOptions } from './certificate-signer.js';

const requests = 'certificatesigningrequests';

function setUp(certificateSigner?: CertificateSignerOptions) {
  const clock = createVirtualClock();
  const server = createTestApiServer({ network: machineNetwork, clock, ...(certificateSigner && { certificateSigner }) });
  const request = (signer: string, commonName = 'system:node:n1', spec = {}) => {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const subject = { commonName, organizations: ['system:nodes'] };
    const csr = createCertificateRequest({ subject, ...keys, dnsNames: ['n1'], ips: ['192.0.2.1'] });
    server.objects.create({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: signer },
      spec: {
        request: Buffer.from(csr).toString('base64'),
        signerName: `kubernetes.io/${signer}`,
        usages: ['digital signature', signer === 'kubelet-serving' ? 'server auth' : 'client auth'],
        ...spec,
      },
    });
    return keys;
  };
  const get = (name: string) => server.objects.get<CertificateSigningRequest>(requests, name);
  const certificate = (name: string) => new X509Certificate(Buffer.from(get(name)?.status?.certificate ?? '', 'base64'));
  const approve = (name: string) => {
    const status = { conditions: [{ type: 'Approved', status: 'True' }] };
    const change = (object: CertificateSigningRequest) => Object.assign(object, { status });
    server.objects.update<CertificateSigningRequest>(requests, name, change, { subresource: 'approval' });
  };
  return { clock, server, request, get, certificate, approve };
}

describe('the signer of certificates', () => {
  it('approves and signs client certificates of nodes', async () => {
    const { server, request, get, certificate, clock } = setUp({});
    const { privateKey } = request('kube-apiserver-client-kubelet');
    expect(get('kube-apiserver-client-kubelet')?.status?.conditions).toMatchObject([{ type: 'Approved', reason: 'AutoApproved' }]);
    const issued = certificate('kube-apiserver-client-kubelet');
    expect(issued.checkPrivateKey(privateKey) && issued.verify(new X509Certificate(server.caCertificate).publicKey)).toBe(true);
    expect(issued.subject).toBe('O=system:nodes\nCN=system:node:n1');
    expect(Date.parse(issued.validFrom)).toBe(clock.now() - 300_000);
    expect(Date.parse(issued.validTo)).toBe(clock.now() + 365 * 86_400_000);
    await server.close();
  });

  it('signs serving certificates once they are approved, with the requested lifetime', async () => {
    const { server, request, get, certificate, approve, clock } = setUp({ lifetimeMs: 7_200_000 });
    request('kubelet-serving', undefined, { expirationSeconds: 3_600 });
    expect(get('kubelet-serving')?.status?.certificate).toBeUndefined();
    approve('kubelet-serving');
    const issued = certificate('kubelet-serving');
    expect(issued.subjectAltName).toBe('DNS:n1, IP Address:192.0.2.1');
    expect(Date.parse(issued.validTo)).toBe(clock.now() + 3_600_000);
    await server.close();
  });

  it('fails requests that are not of a node, and leaves other signers and servers without the option alone', async () => {
    const { server, request, get } = setUp({ autoApprove: ['kubernetes.io/kubelet-serving'] });
    request('kubelet-serving', 'admin');
    expect(get('kubelet-serving')?.status?.conditions?.[1]).toMatchObject({
      type: 'Failed',
      reason: 'SignerValidationFailure',
      message: 'subject common name does not begin with system:node:',
    });
    request('kube-apiserver-client');
    expect(get('kube-apiserver-client')?.status?.conditions).toBeUndefined();
    await server.close();
    const plain = setUp();
    plain.request('kube-apiserver-client-kubelet');
    expect(plain.get('kube-apiserver-client-kubelet')?.status?.conditions).toBeUndefined();
    await plain.server.close();
  });

  it('signs client certificates of users once they are approved, for the usages of a client only', async () => {
    const { server, request, get, certificate, approve } = setUp({});
    request('kube-apiserver-client', 'jane');
    expect(get('kube-apiserver-client')?.status?.conditions).toBeUndefined();
    approve('kube-apiserver-client');
    expect(certificate('kube-apiserver-client').subject).toBe('O=system:nodes\nCN=jane');
    server.objects.delete(requests, 'kube-apiserver-client');
    request('kube-apiserver-client', 'jane', { usages: ['client auth', 'server auth'] });
    approve('kube-apiserver-client');
    expect(get('kube-apiserver-client')?.status?.conditions?.[1]?.message).toBe('invalid usage for client certificate: server auth');
    await server.close();
  });

  it('deletes requests an hour after they are done, and others after a day', async () => {
    const { server, request, get, clock } = setUp({});
    request('kube-apiserver-client-kubelet');
    request('kube-apiserver-client');
    const left = () => ['kube-apiserver-client-kubelet', 'kube-apiserver-client'].filter((name) => get(name));
    await clock.advance(3_600_000);
    expect(left()).toHaveLength(2);
    await clock.advance(1_000);
    expect(left()).toEqual(['kube-apiserver-client']);
    await clock.advance(82_801_000);
    expect(left()).toEqual([]);
    await server.close();
  });
});
