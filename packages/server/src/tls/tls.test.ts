import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestServers } from '../test-server.js';
import { createTlsSource, type ServingCertificate } from './create-tls-source.js';

const authority = createTestAuthority();
const { ask, serve, serving, stopAll } = createTestServers({ authority, createClock: createVirtualClock });
afterEach(stopAll);

let directory: string;
let clientCAFile: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tls-'));
  clientCAFile = join(directory, 'ca');
  writeFileSync(clientCAFile, authority.cert);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('createTlsSource', () => {
  it('combines the current certificate with the client CA, and returns the same object until one changes', async () => {
    const clock = createVirtualClock();
    let certificate = serving;
    const source = createTlsSource({ certificate: () => certificate, clientCAFile, minVersion: 'TLSv1.3', clock });
    const material = source();
    expect(material).toEqual({ ...serving, clientCA: authority.cert, minVersion: 'TLSv1.3' });
    expect(source()).toBe(material);
    certificate = authority.issueServer(['b']);
    expect(source()).toMatchObject(certificate);
    const other = createTestAuthority();
    writeFileSync(clientCAFile, other.cert);
    expect(source().clientCA).toBe(authority.cert);
    await clock.advance(1_000);
    expect(source().clientCA).toBe(other.cert);
  });

  it('keeps the previous client CA while the file is invalid, and logs a warning', async () => {
    const clock = createVirtualClock();
    const logger = createRecordingLogger();
    const source = createTlsSource({ certificate: () => serving, clientCAFile, clock, logger });
    const material = source();
    writeFileSync(clientCAFile, 'nonsense');
    await clock.advance(1_000);
    expect(source()).toBe(material);
    rmSync(clientCAFile);
    await clock.advance(1_000);
    expect(source()).toBe(material);
    expect(logger.messages('warn')).toHaveLength(2);
  });

  it.each(['', '\n', 'nonsense'])('throws on the first call for a client CA of %j', (text) => {
    writeFileSync(clientCAFile, text);
    const source = createTlsSource({ certificate: () => serving, clientCAFile, clock: createVirtualClock() });
    expect(source).toThrow(expect.objectContaining({ code: 'CertificateUnusable', details: { path: clientCAFile } }));
  });

  it('throws on the first call for a key of another certificate', () => {
    const { key } = authority.issueServer(['other']);
    const source = createTlsSource({ certificate: () => ({ ...serving, key }), clock: createVirtualClock() });
    expect(source).toThrow(expect.objectContaining({ code: 'CertificateUnusable' }));
  });
});

describe('a server without a certificate', () => {
  it('fails handshakes until it has one', async () => {
    const logger = createRecordingLogger();
    let certificate: ServingCertificate | undefined;
    const tls = createTlsSource({ certificate: () => certificate, clientCAFile, clock: createVirtualClock() });
    const { port } = await serve({ logger }, { tls });
    const client = authority.issueClient({ commonName: 'admin' });
    await expect(ask(port, '/pods', { client })).rejects.toThrow();
    expect(logger.messages('info')).toEqual([
      expect.stringMatching(/^http: TLS handshake error from \S+: no serving certificate available for the kubelet$/),
    ]);
    certificate = serving;
    expect((await ask(port, '/pods', { client })).status).toBe(200);
  });
});
