import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConnectionLimit } from '../http/connection-limit.js';
import { listen } from '../http/listener.js';
import { ensureServingCertificate, type ServingCertificate, selfSignedCertificate } from './self-signed.js';
import { tlsFiles } from './tls-files.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tls-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('ensureServingCertificate', () => {
  it('creates a certificate once, and a new one when it expires or does not match', async () => {
    const clock = createVirtualClock();
    const options = { directory, hosts: ['n1', '192.0.2.1'], clock };
    const files = await ensureServingCertificate(options);
    const read = () => readFileSync(files.certFile, 'utf8');
    const first = read();
    const certificate = new X509Certificate(first);
    expect([certificate.checkHost('n1'), certificate.checkIP('192.0.2.1')]).toEqual(['n1', '192.0.2.1']);
    expect(statSync(files.keyFile).mode & 0o777).toBe(0o600);
    await ensureServingCertificate(options);
    expect(read()).toBe(first);
    await clock.advance(340 * 24 * 3_600_000);
    await ensureServingCertificate(options);
    const second = read();
    expect(second).not.toBe(first);
    writeFileSync(files.keyFile, selfSignedCertificate(['x'], clock.now()).key);
    await ensureServingCertificate(options);
    expect(read()).not.toBe(second);
    writeFileSync(files.certFile, 'nonsense');
    await ensureServingCertificate(options);
    expect(new X509Certificate(read()).checkHost('n1')).toBe('n1');
  });
});

describe('tlsFiles', () => {
  const write = (hosts: string[]) => {
    const { cert, key } = selfSignedCertificate(hosts, Date.UTC(2026));
    const files = { certFile: join(directory, 'c'), keyFile: join(directory, 'k'), clientCAFile: join(directory, 'ca') };
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
    writeFileSync(files.clientCAFile, cert);
    return { files, cert, key };
  };

  it('reloads changed files, and checks them at most once a second', async () => {
    const clock = createVirtualClock();
    const { files, cert, key } = write(['a']);
    const source = tlsFiles({ ...files, minVersion: 'TLSv1.3', clock });
    const material = source();
    expect(material).toEqual({ cert, key, clientCA: cert, minVersion: 'TLSv1.3' });
    const second = write(['b']);
    expect(source()).toBe(material);
    await clock.advance(1_000);
    expect(source()).toMatchObject({ cert: second.cert });
    await clock.advance(1_000);
    expect(source()).toBe(source());
  });

  it('keeps the previous certificate while the files are unusable, and logs a warning', async () => {
    const clock = createVirtualClock();
    const logger = createRecordingLogger();
    const { files } = write(['a']);
    const source = tlsFiles({ ...files, clock, logger });
    const material = source();
    for (const [path, text] of [
      [files.keyFile, selfSignedCertificate(['other'], 0).key],
      [files.certFile, 'nonsense'],
    ] as const) {
      writeFileSync(path, text);
      await clock.advance(1_000);
      expect(source()).toBe(material);
    }
    rmSync(files.certFile);
    await clock.advance(1_000);
    expect(source()).toBe(material);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(3);
    const second = write(['b']);
    await clock.advance(1_000);
    expect(source().cert).toBe(second.cert);
  });

  it('throws on the first call without usable files', () => {
    const clock = createVirtualClock();
    const { files } = write(['a']);
    expect(() => tlsFiles({ ...files, keyFile: join(directory, 'none'), clock })()).toThrow(
      expect.objectContaining({ code: 'CertificateUnusable', details: { path: join(directory, 'none') } }),
    );
    for (const path of Object.values(files)) {
      for (const text of ['', '\n', 'nonsense']) {
        write(['a']);
        writeFileSync(path, text);
        expect(() => tlsFiles({ ...files, clock })(), path).toThrow(expect.objectContaining({ code: 'CertificateUnusable' }));
      }
    }
  });
});

describe('tlsFiles with a certificate that is issued while the server runs', () => {
  it('refuses handshakes until there is one, then serves the current one', async () => {
    const clock = createVirtualClock();
    const logger = createRecordingLogger();
    let certificate: ServingCertificate | undefined;
    const listener = await listen({
      address: '127.0.0.1',
      port: 0,
      tls: tlsFiles({ certificate: () => certificate, clock, logger }),
      connections: createConnectionLimit(10),
      serve: (_request, response) => void response.end(),
    });
    const peer = () =>
      new Promise<string>((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port: listener.port, rejectUnauthorized: false }, () => {
          resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
          socket.destroy();
        });
        socket.on('error', reject);
      });
    try {
      await expect(peer()).rejects.toThrow();
      await expect(peer()).rejects.toThrow();
      expect(logger.lines.map(({ message }) => message)).toEqual(['no serving certificate available for the kubelet']);
      for (const host of ['a', 'b']) {
        certificate = selfSignedCertificate([host], Date.now());
        expect(await peer()).toBe(new X509Certificate(certificate.cert).fingerprint256);
      }
      certificate = undefined;
      await expect(peer()).rejects.toThrow();
    } finally {
      await listener.close();
    }
  });
});
