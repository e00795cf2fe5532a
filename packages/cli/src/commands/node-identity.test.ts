import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
// Loaded before virtual time begins.
import '@nodeagent/certificate-manager/decisions';
import { nodeIdentity, untilCertificateLost } from './node-identity.js';

const minute = 60_000;

describe('untilCertificateLost', () => {
  /** Follows a certificate; `expiresAt` is undefined without one. */
  function follow(expiresAt: number | undefined) {
    const clock = createVirtualClock();
    const state = { expiresAt: expiresAt === undefined ? undefined : clock.now() + expiresAt, isServerHealthy: true };
    const current = () => {
      const notAfter = state.expiresAt;
      if (notAfter === undefined || notAfter <= clock.now()) return undefined;
      return { cert: '', key: '', facts: { commonName: '', organizations: [], dnsNames: [], ips: [], notBefore: 0, notAfter } };
    };
    const certificate = {
      current,
      get isServerHealthy() {
        return state.isServerHealthy;
      },
      explain: () => ({ message: 'no certificate' }) as never,
    };
    const stopped = new AbortController();
    let lost: unknown;
    untilCertificateLost(certificate, clock, stopped.signal).catch((error) => {
      lost = errorCode(error) ?? error;
    });
    return { clock, state, stopped, lost: () => lost };
  }

  it('rejects 5 minutes after the expiry', async () => {
    const { clock, lost } = follow(60 * minute);
    await clock.advance(65 * minute);
    expect(lost()).toBeUndefined();
    await clock.advance(20_000);
    expect(lost()).toBe('CLIENT_CERTIFICATE_LOST');
  });

  it('rejects 5 minutes after a start without a certificate, once the API server is healthy', async () => {
    const { clock, state, lost } = follow(undefined);
    state.isServerHealthy = false;
    await clock.advance(60 * minute);
    expect(lost()).toBeUndefined();
    state.isServerHealthy = true;
    await clock.advance(10_000);
    expect(lost()).toBe('CLIENT_CERTIFICATE_LOST');
  });

  it('continues when the certificate is rotated in time, and ends with its signal', async () => {
    const { clock, state, stopped, lost } = follow(60 * minute);
    await clock.advance(62 * minute);
    state.expiresAt = clock.now() + 60 * minute;
    await clock.advance(60 * minute);
    expect(lost()).toBeUndefined();
    stopped.abort(new Error('stopped'));
    await clock.settle();
    expect(lost()).toEqual(new Error('stopped'));
  });
});

describe('nodeIdentity', () => {
  it('waits for a certificate that is not approved until its signal aborts, and logs which request waits', async () => {
    const server = createTestApiServer({ certificateSigner: { autoApprove: [] } });
    await server.listen();
    const folder = mkdtempSync(join(tmpdir(), 'identity-'));
    const logger = createRecordingLogger();
    const stopped = new AbortController();
    const [bootstrapKubeconfig, kubeconfig] = [join(folder, 'bootstrap'), join(folder, 'kubeconfig')];
    writeFileSync(bootstrapKubeconfig, server.kubeconfig());
    try {
      const identity = await nodeIdentity({
        kubeconfig,
        certificates: { bootstrapKubeconfig, rotateCertificates: true, certDir: join(folder, 'pki') },
        nodeName: 'n1',
        userAgent: 'test',
        clock: createVirtualClock(),
        logger,
        signal: stopped.signal,
      });
      const requests = () => server.objects.list('certificatesigningrequests').map(({ metadata }) => metadata?.name);
      await expect.poll(requests).toHaveLength(1);
      expect(identity.certificate?.current()).toBeUndefined();
      await expect
        .poll(() => logger.lines.map(({ message, fields }) => [message, fields?.name]))
        .toContainEqual(['waiting for the certificate signing request to be approved and signed', requests()[0]]);
      await identity.certificate?.stop();
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });
});
