import { X509Certificate } from 'node:crypto';
import { type CertificateSigningRequest, NodeAgentError } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import type { CertificatePair, CertificateStore } from '@nodeagent/certificate-manager';
import { createInProcessTransport, createKubeClient, type KubeClientOptions, type Transport } from '@nodeagent/kube-client';
import { createMetricsRegistry } from '@nodeagent/server';
import { type CertificateSignerOptions, createTestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { createRecordingLogger, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createNodeCertificates } from './machine/node-certificates.js';
import { conditionOf, createTestMember, userPod } from './test-member.js';

const hour = 3_600_000;
const serving = 'kubernetes.io/kubelet-serving';

/** A store in memory that shows what it got. */
function recordingStore() {
  const pairs: CertificatePair[] = [];
  const store: CertificateStore = {
    current: async () => pairs.at(-1),
    update: async (pair) => void pairs.push(pair),
  };
  return { pairs, store };
}

/** A member that has only the token of a bootstrap. The API server accepts unexpired certificates of the node and that token. */
async function bootstrapped(signer: CertificateSignerOptions = {}) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const metrics = createMetricsRegistry();
  const server = createTestApiServer({
    network: machineNetwork,
    clock,
    random: seededRandom(7),
    scheduler: true,
    nodeRestriction: true,
    certificateSigner: { lifetimeMs: hour, ...signer },
    tokens: {
      node: { username: 'system:node:node', groups: ['system:nodes'] },
      bootstrap: { username: 'system:bootstrap:x', groups: ['system:bootstrappers'] },
    },
  });
  const state = { isUnreachable: false, closed: 0, lost: 0, isBootstrapRevoked: false };
  const watchedWith = new Set<string>();
  const inProcess = createInProcessTransport({
    async handle(request) {
      await clock.sleep(2, request.signal);
      if (state.isUnreachable) throw new NodeAgentError('ApiUnreachable', 'connect ECONNREFUSED', { retryable: true });
      return server.handle({ ...request, headers: { ...request.headers } });
    },
  });
  const transport: Transport = {
    send({ tls, ...request }) {
      const certificate = tls?.cert === undefined ? undefined : new X509Certificate(tls.cert);
      const isValid = certificate !== undefined && Date.parse(certificate.validTo) > clock.now();
      if (certificate && request.path.includes('watch=')) watchedWith.add(certificate.serialNumber);
      const isBootstrap = request.headers.authorization === 'Bearer bootstrap' && !state.isBootstrapRevoked;
      const token = isBootstrap ? 'bootstrap' : isValid ? 'node' : 'refused';
      return inProcess.send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
    },
    closeConnections() {
      state.closed += 1;
      inProcess.closeConnections();
    },
  };
  const clientOf = (options: Partial<KubeClientOptions>) =>
    createKubeClient({ cluster: { server: 'https://api.test:6443' }, transport, clock, random: seededRandom(3), logger, ...options });
  const stores = { client: recordingStore(), serving: recordingStore() };
  const request = clientOf({ cluster: { server: 'https://api.test:6443', identity: { token: 'bootstrap' } } });
  const certificates = await createNodeCertificates({
    nodeName: 'node',
    directory: '/pki',
    client: {
      store: stores.client.store,
      api: (current) => (current ? client : request).certificateSigningRequests,
      closeOldConnections: () => client.closeConnections(),
      onLost: () => {
        state.lost += 1;
      },
    },
    serving: { store: stores.serving.store, api: () => client.certificateSigningRequests },
    clock,
    random: seededRandom(5),
    logger,
    metrics,
  });
  const client = clientOf({ clientCertificate: certificates.client });
  const heartbeats = clientOf({ clientCertificate: certificates.client, qps: 0, timeouts: { requestMs: 10_000 } });
  const member = await createTestMember({ clock, server, join: { client, heartbeats, certificates }, agent: { logger, metrics } });
  const { agent } = member;
  const requests = () => server.objects.list<CertificateSigningRequest>('certificatesigningrequests');
  return {
    ...member,
    logger,
    metrics,
    certificates,
    stores,
    state,
    watchedWith,
    requests,
    async started() {
      await agent.start();
      await clock.until(() => conditionOf(member.node(), 'Ready') === 'True', 5 * 60_000);
    },
  };
}

describe('the certificates of a member', () => {
  it('are requested with a bootstrap token, and the node then runs pods', async () => {
    const member = await bootstrapped();
    expect(member.agent.certificates().client?.message).toBe('no certificate; rotation is off');
    await member.started();
    member.server.objects.create(userPod('web', {}, { namespace: 'default' }));
    await member.clock.until(() => isPodReady(member.pod('web') ?? {}), 60_000);
    await member.clock.advance(2_000);
    expect(member.agent.certificates().client?.message).toMatch(/^the certificate of system:node:node is valid until .*; rotation at /);
    expect(await member.end()).toBe(0);
  });

  it('rotate with open watches and without a lost pod, and exit only while the API server is healthy', async () => {
    const member = await bootstrapped();
    await member.started();
    const { clock, state } = member;
    const first = member.certificates.client()?.cert;
    await clock.until(() => member.certificates.client()?.cert !== first, hour);
    expect(member.logger.messages('info')).toContain(
      'Certificate rotation detected, shutting down client connections to start using new credentials',
    );
    member.server.objects.create(userPod('after', {}, { namespace: 'default' }));
    await clock.until(() => isPodReady(member.pod('after') ?? {}), 60_000);
    expect(member.watchedWith.size).toBe(2);

    // The API server is away until the certificate has expired: the agent waits.
    state.isUnreachable = true;
    member.server.dropWatches('cut');
    await clock.advance(1.3 * hour);
    expect([member.certificates.client(), state.lost]).toEqual([undefined, 0]);
    expect(member.agent.certificates().client?.message).toMatch(/expired at .*, after \d+ failed attempts, the last: /);
    state.isUnreachable = false;
    await clock.until(() => conditionOf(member.node(), 'Ready') === 'True' && member.certificates.client() !== undefined, hour);
    expect(await member.end()).toBe(0);
  });

  it('report a loss that a restart can mend', async () => {
    const member = await bootstrapped();
    member.state.isBootstrapRevoked = true;
    await member.agent.start();
    await member.clock.advance(4 * 60_000);
    expect(member.state.lost).toBe(0);
    await member.clock.advance(2 * 60_000);
    expect(member.state.lost).toBe(1);
    expect(await member.end()).toBe(0);
  });

  it('include the serving certificate, with the addresses of the Node', async () => {
    const member = await bootstrapped();
    await member.started();
    const pending = () => member.requests().find(({ spec }) => spec.signerName === serving);
    await member.clock.until(() => pending() !== undefined, 60_000);
    expect(member.certificates.serving()).toBeUndefined();
    expect(member.agent.certificates().serving?.message).toBe('no certificate; waiting for the signer');
    const name = pending()?.metadata?.name ?? '';
    const status = { conditions: [{ type: 'Approved', status: 'True' }] };
    member.server.objects.update('certificatesigningrequests', name, (each) => Object.assign(each, { status }), {
      subresource: 'approval',
    });
    await member.clock.until(() => member.certificates.serving() !== undefined, hour);
    expect(member.certificates.serving()?.facts).toMatchObject({ commonName: 'system:node:node', dnsNames: ['node'], ips: ['192.0.2.1'] });
    expect(await member.end()).toBe(0);
  });

  it('have metrics, and keep private keys out of logs, explanations and metrics', async () => {
    const member = await bootstrapped({ autoApprove: ['kubernetes.io/kube-apiserver-client-kubelet', serving] });
    await member.started();
    await member.clock.advance(2.5 * hour);
    const pairs = [...member.stores.client.pairs, ...member.stores.serving.pairs];
    const keys = pairs.map(({ key }) => /-----BEGIN EC PRIVATE KEY-----\n([^-]+)-/.exec(key)?.[1] ?? '');
    expect(keys.length).toBeGreaterThan(4);
    const shown = [
      ...member.logger.lines.map((line) => JSON.stringify(line)),
      JSON.stringify(member.agent.certificates()),
      JSON.stringify([member.certificates.client(), member.certificates.serving()]),
      member.metrics.text(),
    ].join('\n');
    for (const key of keys) for (const line of key.trim().split('\n')) expect(shown).not.toContain(line);
    expect(shown).not.toContain('PRIVATE KEY');
    expect(shown).toMatch(/kubelet_certificate_manager_client_ttl_seconds \d+/);
    expect(shown).toMatch(/kubelet_certificate_manager_server_ttl_seconds \d+/);
    expect(shown).toMatch(/kubelet_certificate_manager_server_rotation_seconds_count [1-9]/);
    expect(await member.end()).toBe(0);
  });
});
