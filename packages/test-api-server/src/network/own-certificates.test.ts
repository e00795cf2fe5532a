import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect } from 'node:net';
import { issueCertificate } from '@nodeagent/x509/node';
import { afterEach, expect, it } from 'vitest';
import { createTestAuthority } from '../http/certificates.js';
import { machineNetwork } from '../http/machine-network.js';
import { createTestApiServer } from '../test-api-server.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const servers = createTestAuthority();
const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049) };
const clientAuthority = { subject: { commonName: 'clients' }, ...newKeys() };
const clientCa = issueCertificate({ ...validity, ...clientAuthority, issuer: clientAuthority, isAuthority: true });

/** A client certificate of the CA of clients. */
function clientOf(commonName: string) {
  const { publicKey, privateKey } = newKeys();
  const cert = issueCertificate({ ...validity, subject: { commonName }, publicKey, issuer: clientAuthority, usages: ['client'] });
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

/** Who the server takes a client for: the user name, or the status code. */
async function whoIs(url: string, ca: string, own: { cert?: string; key?: string } = {}): Promise<unknown> {
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request(new URL(path, url), { method: 'POST', headers, ca, agent: false, allowPartialTrustChain: true, ...own }, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      resolve(response.statusCode === 201 ? JSON.parse(text).status.userInfo.username : response.statusCode);
    })
      .once('error', reject)
      .end(body);
  });
}

it('serves with its own certificate, and takes clients with certificates of another CA', async () => {
  const server = createTestApiServer({ network: machineNetwork, anonymous: false });
  ends.push(() => server.close());
  const certificate = servers.issueServer(['127.0.0.1']);
  const url = await server.listen({ tls: true, certificate, clientCa });
  expect(await whoIs(url, servers.cert, clientOf('jane'))).toBe('jane');
  expect(await whoIs(url, certificate.cert, servers.issueClient({ commonName: 'eve' }))).toBe(401);
  expect(await whoIs(url, servers.cert)).toBe(401);
  const { clusters } = JSON.parse(server.kubeconfig());
  expect(atob(clusters[0].cluster['certificate-authority-data'])).toBe(certificate.cert);
});

it('takes the client whose self-signed certificate is the CA, as Java frameworks make it', async () => {
  const server = createTestApiServer({ network: machineNetwork, anonymous: false });
  ends.push(() => server.close());
  const keys = newKeys();
  const self = { subject: { commonName: 'jane', organizations: ['system:masters'] }, ...keys };
  const cert = issueCertificate({ ...validity, ...self, issuer: self });
  const url = await server.listen({ tls: true, clientCa: cert });
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  expect(await whoIs(url, server.caCertificate, { cert, key })).toBe('jane');
  expect(await whoIs(url, server.caCertificate, clientOf('jane'))).toBe(401);
});

it('closes while a client has connected without a handshake', async () => {
  const server = createTestApiServer({ network: machineNetwork });
  const socket = connect(Number(new URL(await server.listen({ tls: true })).port), '127.0.0.1');
  await once(socket, 'connect');
  await Promise.all([once(socket, 'close'), server.close()]);
});
