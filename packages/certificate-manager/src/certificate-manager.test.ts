import { apiStatusError, type NodeAddress, type noMetrics } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createCertificateManager } from './certificate-manager.js';
import { createMemoryCertificateStore } from './certificate-store.js';
import { clientTemplate, servingTemplate } from './certificate-template.js';
import { kubernetesSigner } from './kubernetes-signer.js';
import type { CertificateManagerOptions } from './options.js';
import { createTestRequests, signedPair, signRequest } from './test-signer.js';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const year = 365 * day;

function setUp(options: Partial<CertificateManagerOptions> = {}, lifetimeMs = year) {
  const clock = createVirtualClock();
  const logger = createRecordingLogger();
  const requests = createTestRequests(clock, lifetimeMs);
  const store = createMemoryCertificateStore();
  const requestCertificate = kubernetesSigner({ role: 'client', api: () => requests.api });
  const ports = { clock, random: () => 0, logger };
  const manager = createCertificateManager({ ...ports, store, template: () => clientTemplate('n1'), requestCertificate, ...options });
  return { clock, logger, requests, store, manager };
}

describe('createCertificateManager', () => {
  it('requests a certificate at the start, stores it, and rotates it after 70 % of its lifetime', async () => {
    const { clock, requests, store, manager } = setUp();
    expect(manager.explain().message).toBe('no certificate; rotation is off');
    await manager.start();
    await clock.settle();
    expect(requests.last().spec).toMatchObject({
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    });
    expect(requests.lastCsr().subject).toEqual({ commonName: 'system:node:n1', organizations: ['system:nodes'] });
    expect(manager.explain().message).toBe('no certificate; waiting for the signer');
    requests.approve();
    await clock.settle();
    expect(manager.current()).toBeUndefined();
    requests.sign();
    await clock.advance(1_000);
    const first = manager.current();
    expect(await store.current()).toBe(first);
    expect(manager.isServerHealthy).toBe(true);
    expect(manager.explain().message).toBe(
      'the certificate of system:node:n1 is valid until 2027-01-01T00:00:00Z; rotation at 2026-09-13T12:00:00Z',
    );
    const rotated: unknown[] = [];
    manager.onRotation((pair) => rotated.push(pair));
    requests.signsAtOnce = true;
    await clock.advance(0.7 * year - 10_000);
    expect(requests.count).toBe(1);
    await clock.advance(20_000);
    expect(requests.count).toBe(2);
    expect(rotated).toEqual([manager.current()]);
    expect(manager.current()?.key).not.toBe(first?.key);
    await manager.stop();
    expect(clock.pending).toBe(0);
    expect(requests.listeners.size).toBe(0);
  });

  it('retries after 2, 4, 8 and 16 s, then every 32 s, with a new key and request each time', async () => {
    const { clock, requests, manager, logger } = setUp();
    const attempts: number[] = [];
    requests.failure = apiStatusError({ code: 403, reason: 'Forbidden', message: 'not allowed' });
    const { create } = requests.api;
    const keys = new Set<string>();
    requests.api.create = (object) => {
      attempts.push(clock.monotonic() / 1_000);
      keys.add(object.spec.request);
      return create(object);
    };
    await manager.start();
    await clock.advance(100_000);
    expect(attempts).toEqual([0, 2, 6, 14, 30, 62, 94]);
    expect(keys.size).toBe(7);
    expect(manager.isServerHealthy).toBe(true);
    expect(manager.explain()).toMatchObject({
      phase: 'backingOff',
      failures: 7,
      message:
        'no certificate; the next request is at 2026-01-01T00:02:06Z, after 7 failed attempts, the last: cannot create certificate signing request: not allowed',
    });
    requests.failure = new Error('connect ECONNREFUSED');
    await clock.advance(32_000);
    expect(manager.isServerHealthy).toBe(false);
    requests.failure = undefined;
    requests.signsAtOnce = true;
    await clock.advance(32_000);
    expect(manager.current()).toBeDefined();
    expect(manager.explain().failures).toBe(0);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(8);
    await manager.stop();
  });

  it.each([
    ['denied', 'certificate signing request is denied, reason: Policy, message: unknown node'],
    ['failed', 'certificate signing request failed, reason: SignerError, message: no key'],
    ['deleted', 'certificate signing request "csr-0" was deleted'],
    ['replaced', 'certificate signing request "csr-0" was replaced by another'],
  ])('creates another request after one that was %s', async (fate, message) => {
    const { clock, requests, manager } = setUp();
    await manager.start();
    await clock.settle();
    if (fate === 'denied') requests.deny('Policy', 'unknown node');
    if (fate === 'failed') requests.fail('SignerError', 'no key');
    if (fate === 'deleted') requests.remove();
    if (fate === 'replaced') requests.replace();
    await clock.settle();
    expect(manager.explain()).toMatchObject({ failures: 1, lastError: message });
    requests.signsAtOnce = true;
    await clock.advance(2_000);
    expect(manager.current()).toBeDefined();
    await manager.stop();
  });

  it('gives up a request after 15 minutes', async () => {
    const { clock, requests, manager } = setUp();
    await manager.start();
    await clock.advance(15 * minute - 1);
    expect(manager.explain().phase).toBe('requesting');
    await clock.advance(1);
    expect(manager.explain()).toMatchObject({ phase: 'backingOff', lastError: 'timed out waiting for the certificate' });
    await clock.advance(2_000);
    expect(requests.count).toBe(2);
    await manager.stop();
  });

  it('uses a stored certificate without a request, until it expires', async () => {
    const pair = signedPair('system:node:n1', Date.UTC(2026), 10 * hour);
    const { clock, requests, manager } = setUp({ store: createMemoryCertificateStore(pair) });
    await manager.start();
    await clock.advance(6 * hour);
    expect([manager.current(), requests.count]).toEqual([pair, 0]);
    await clock.advance(4 * hour);
    expect(manager.current()).toBe(pair);
    await clock.advance(1_000);
    expect(manager.current()).toBeUndefined();
    expect(manager.explain().message).toMatch(/^the certificate of system:node:n1 expired at 2026-01-01T10:00:00Z; waiting for the signer/);
    requests.signsAtOnce = true;
    await clock.advance(15 * minute);
    expect(manager.current()).toBeDefined();
    await manager.stop();
  });

  it('stores the bootstrap certificate, requests with it and rotates it at once', async () => {
    const pair = signedPair('system:node:n1', Date.UTC(2026), year);
    const store = createMemoryCertificateStore(signedPair('system:node:n1', Date.UTC(2024), year));
    const identities: unknown[] = [];
    const { clock, requests, manager } = setUp({
      store,
      bootstrap: pair,
      requestCertificate: async ({ csr, current }) => {
        identities.push(current, await store.current());
        return signRequest(csr, clock.now(), year);
      },
    });
    await manager.start();
    expect(manager.current()).toBe(pair);
    await clock.settle();
    expect(identities).toEqual([pair, pair]);
    expect(manager.current()).not.toBe(pair);
    expect(requests.count).toBe(0);
    await manager.stop();
  });

  it('requests a new serving certificate when the addresses change, also while a request is pending', async () => {
    let addresses: NodeAddress[] = [{ type: 'Hostname', address: 'n1' }];
    const { clock, requests, manager } = setUp({ template: () => servingTemplate('n1', addresses) });
    await manager.start();
    await clock.advance(5_000);
    expect([requests.count, manager.explain().message]).toEqual([0, 'no certificate; waiting for an IP address of the node']);
    addresses = [{ type: 'InternalIP', address: '192.0.2.1' }, ...addresses];
    manager.refreshTemplate();
    await clock.advance(1_000);
    expect(requests.lastCsr()).toMatchObject({ dnsNames: ['n1'], ips: ['192.0.2.1'] });
    manager.refreshTemplate();
    await clock.settle();
    expect(manager.explain()).toMatchObject({ phase: 'requesting', failures: 0 });
    addresses = [{ type: 'InternalIP', address: '192.0.2.2' }];
    manager.refreshTemplate();
    await clock.advance(2_000);
    expect([requests.count, requests.lastCsr().ips]).toEqual([2, ['192.0.2.2']]);
    requests.approve();
    requests.sign();
    await clock.advance(1_000);
    expect(manager.explain().phase).toBe('waiting');
    requests.signsAtOnce = true;
    manager.refreshTemplate();
    await clock.advance(1_000);
    expect(requests.count).toBe(2);
    addresses = [{ type: 'InternalIP', address: '192.0.2.3' }];
    manager.refreshTemplate();
    await clock.advance(1_000);
    expect(manager.current()?.facts.ips).toEqual(['192.0.2.3']);
    await manager.stop();
  });

  it('backs off and explains when the clock of the node is wrong', async () => {
    const { clock, requests, manager } = setUp({}, hour);
    requests.signsAtOnce = true;
    const { create } = requests.api;
    // The signer's clock is a day behind.
    requests.api.create = async (object) => {
      requests.signsAtOnce = false;
      const created = await create(object);
      requests.approve();
      requests.sign(clock.now() - day);
      return created;
    };
    await manager.start();
    await clock.advance(100_000);
    expect(requests.count).toBe(7);
    expect(manager.explain().message).toContain('check the clocks of the node and the signer');
    clock.jump(-day);
    expect(manager.current()).toBeDefined();
    await manager.stop();
  });

  it('notices within 30 minutes that the wall clock jumped past the deadline', async () => {
    const pair = signedPair('system:node:n1', Date.UTC(2026), 100 * day);
    const { clock, requests, manager } = setUp({ store: createMemoryCertificateStore(pair) });
    await manager.start();
    clock.jump(71 * day);
    await clock.advance(30 * minute);
    expect(requests.count).toBe(1);
    await manager.stop();
  });

  it('rejects the start if the stored certificate is invalid, and logs a failure to store one', async () => {
    const failing = {
      current: () => Promise.reject(new Error('nonsense')),
      update: async () => {},
    };
    await expect(setUp({ store: failing }).manager.start()).rejects.toThrow('nonsense');
    const full = { current: async () => undefined, update: () => Promise.reject(new Error('no space left on device')) };
    const { clock, requests, manager } = setUp({ store: full });
    requests.signsAtOnce = true;
    await manager.start();
    await clock.settle();
    expect(manager.explain()).toMatchObject({ phase: 'backingOff', lastError: 'no space left on device' });
    expect(manager.current()).toBeUndefined();
    await manager.stop();
  });

  it('reports the metrics of the kubelet', async () => {
    const values: Record<string, number[]> = {};
    const record = (name: string, value: number) => {
      values[name] = [...(values[name] ?? []), value];
    };
    const metrics: typeof noMetrics = {
      counter: ({ name }) => ({ inc: () => record(name, 1) }),
      gauge: ({ name }) => ({ set: (value) => record(name, value) }),
      histogram: ({ name }) => ({ observe: (value) => record(name, value) }),
    };
    const { clock, requests, manager } = setUp({ metrics, role: 'serving' }, day);
    requests.failure = new Error('away');
    await manager.start();
    await clock.settle();
    requests.failure = undefined;
    requests.signsAtOnce = true;
    await clock.advance(3_000);
    expect(values).toEqual({
      kubelet_certificate_manager_server_ttl_seconds: [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 86_400, 86_399],
      kubelet_server_expiration_renew_errors: [1],
    });
    await clock.advance(0.7 * day);
    expect(values.kubelet_certificate_manager_server_rotation_seconds).toEqual([60_480]);
    await manager.stop();
  });

  it('keeps the private key out of logs, errors and JSON', async () => {
    const { clock, requests, manager, logger } = setUp();
    requests.signsAtOnce = true;
    await manager.start();
    await clock.settle();
    const secret = manager.current()?.key.split('\n')[1] ?? '';
    expect(secret).toHaveLength(64);
    for (const shown of [logger.lines, manager.explain(), manager.current()]) expect(JSON.stringify(shown)).not.toContain(secret);
    await manager.stop();
  });

  it('starts and stops repeatedly, and refuses invalid options', async () => {
    const { clock, requests, manager } = setUp();
    await manager.start();
    await manager.start();
    await clock.settle();
    await manager.stop();
    await manager.stop();
    requests.signsAtOnce = true;
    await manager.start();
    await clock.settle();
    expect(manager.current()).toBeDefined();
    await manager.stop();
    const invalid = expect.objectContaining({ code: 'InvalidOption' });
    expect(() => createCertificateManager({} as CertificateManagerOptions)).toThrow(invalid);
    const store = createMemoryCertificateStore();
    expect(() => createCertificateManager({ store } as CertificateManagerOptions)).toThrow(invalid);
  });

  it('has a valid certificate for five years, except during an outage that outlasts it', async () => {
    const random = seededRandom(23);
    const clock = createVirtualClock();
    let lifetimeMs = 10 * day;
    let isAway = false;
    let issued = 0;
    let refused = 0;
    const manager = createCertificateManager({
      store: createMemoryCertificateStore(),
      template: () => clientTemplate('n1'),
      requestCertificate: async ({ csr }) => {
        refused += isAway ? 1 : 0;
        if (isAway) throw new Error('connect ECONNREFUSED');
        issued += 1;
        return signRequest(csr, clock.now(), lifetimeMs);
      },
      clock,
      random,
    });
    const outage = async (durationMs: number) => {
      isAway = true;
      await clock.advance(durationMs);
      const isLost = manager.current() === undefined;
      isAway = false;
      await clock.advance(33_000);
      expect(manager.current()).toBeDefined();
      return isLost;
    };
    await manager.start();
    await clock.settle();
    const end = clock.now() + 5 * year;
    while (clock.now() < end) {
      await clock.advance(random() * 4 * lifetimeMs);
      // A rotation starts with at least 10 % of the lifetime left.
      expect(await outage(0.1 * lifetimeMs * random())).toBe(false);
    }
    expect(issued).toBeGreaterThan(70);
    expect(refused).toBeGreaterThan(500);
    lifetimeMs = day;
    await clock.advance(10 * day);
    expect(await outage(1.1 * lifetimeMs)).toBe(true);
    await manager.stop();
  });
});
