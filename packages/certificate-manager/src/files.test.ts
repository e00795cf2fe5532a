import { execFileSync, spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCertificateFileStore } from './file-store.js';
import { createClientCertificateManager, createServingCertificateManager } from './node-certificates.js';
import { authority, createTestRequests, signedPair } from './test-signer.js';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe', encoding: 'utf8' });
const day = 86_400_000;
const unusable = expect.objectContaining({ code: 'CertificateUnusable' });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (name: string) => join(folder, name);
const pairOf = (name: string) => signedPair(name, Date.UTC(2026), day);

describe('createCertificateFileStore', () => {
  const setUp = () => {
    const clock = createVirtualClock({ start: new Date(2026, 4, 1, 9, 8, 7).getTime() });
    const directory = path('pki');
    return { clock, directory, store: createCertificateFileStore({ directory, prefix: 'kubelet-client', clock }) };
  };

  it('writes the files of the kubelet, and keeps old ones', async () => {
    const { clock, directory, store } = setUp();
    expect(await store.current()).toBeUndefined();
    await store.update(pairOf('a'));
    await clock.advance(1_000);
    const second = pairOf('b');
    await store.update(second);
    const files = ['kubelet-client-2026-05-01-09-08-07.pem', 'kubelet-client-2026-05-01-09-08-08.pem', 'kubelet-client-current.pem'];
    expect(readdirSync(directory)).toEqual(files);
    expect(readlinkSync(join(directory, 'kubelet-client-current.pem'))).toBe(join(directory, files[1] ?? ''));
    expect(statSync(join(directory, files[1] ?? '')).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(directory, 'kubelet-client-current.pem'), 'utf8')).toBe(second.cert + second.key);
    const loaded = await store.current();
    expect([loaded?.cert, loaded?.key, loaded?.facts]).toEqual([second.cert, second.key, second.facts]);
  });

  it('finishes an update that was interrupted, and replaces a stale link', async () => {
    const { clock, directory, store } = setUp();
    await store.update(pairOf('a'));
    renameSync(join(directory, 'kubelet-client-current.pem'), join(directory, 'kubelet-client-updated.pem'));
    expect((await store.current())?.facts.commonName).toBe('a');
    symlinkSync('/nowhere', join(directory, 'kubelet-client-updated.pem'));
    await clock.advance(1_000);
    await store.update(pairOf('b'));
    expect((await store.current())?.facts.commonName).toBe('b');
    expect(readdirSync(directory)).not.toContain('kubelet-client-updated.pem');
  });

  it('refuses to replace a file by a link', async () => {
    const { directory, store } = setUp();
    mkdirSync(directory);
    writeFileSync(join(directory, 'kubelet-client-current.pem'), 'mine');
    const message = `expected "${join(directory, 'kubelet-client-current.pem')}" to be a symlink but it is a file`;
    await expect(store.update(pairOf('a'))).rejects.toMatchObject({ code: 'CertificateUnusable', message });
    expect(lstatSync(join(directory, 'kubelet-client-current.pem')).isFile()).toBe(true);
  });

  it('starts with the configured files, then with those of the prefix', async () => {
    const { directory, clock, store } = setUp();
    mkdirSync(directory);
    const write = (name: string, pair = pairOf(name)) => {
      writeFileSync(path(`${name}.crt`), pair.cert);
      writeFileSync(path(`${name}.key`), pair.key);
    };
    write('pki/kubelet-client');
    expect((await store.current())?.facts.commonName).toBe('pki/kubelet-client');
    write('own');
    const files = { certFile: path('own.crt'), keyFile: path('own.key') };
    const configured = createCertificateFileStore({ directory, prefix: 'kubelet-client', clock, ...files });
    expect((await configured.current())?.facts.commonName).toBe('own');
    rmSync(files.keyFile);
    expect((await configured.current())?.facts.commonName).toBe('pki/kubelet-client');
    symlinkSync('/nowhere', join(directory, 'kubelet-client-current.pem'));
    expect((await store.current())?.facts.commonName).toBe('pki/kubelet-client');
    await store.update(pairOf('rotated'));
    expect((await configured.current())?.facts.commonName).toBe('rotated');
  });

  it('rejects files that are invalid or do not match, without quoting them', async () => {
    const { directory, store } = setUp();
    mkdirSync(directory);
    const [a, b] = [pairOf('a'), pairOf('b')];
    for (const text of ['', 'nonsense', a.cert, a.key, a.cert + b.key, a.cert.slice(0, 300) + a.key]) {
      writeFileSync(join(directory, 'kubelet-client-current.pem'), text);
      const error = await store.current().catch((thrown) => thrown);
      expect(error, text).toEqual(unusable);
      expect(`${error.message} ${error.cause?.message} ${error.cause?.cause?.message}`).not.toContain(a.key.split('\n')[1]);
    }
  });

  it('refuses invalid options', () => {
    const invalid = expect.objectContaining({ code: 'InvalidOption' });
    expect(() => createCertificateFileStore({ directory: '', prefix: 'p' })).toThrow(invalid);
    expect(() => createCertificateFileStore({ directory: 'd', prefix: '../p' })).toThrow(invalid);
    expect(() => createCertificateFileStore({ directory: 'd', prefix: 'p', certFile: 'c' })).toThrow(invalid);
  });
});

describe('client and serving certificates in files', () => {
  it('are requested, stored, and loaded by the next run', async () => {
    const clock = createVirtualClock();
    const requests = createTestRequests(clock, 365 * day);
    requests.signsAtOnce = true;
    const options = { nodeName: 'n1', directory: folder, api: () => requests.api, clock, random: () => 0.5, expirationSeconds: 86_400 };
    const client = createClientCertificateManager(options);
    const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
    const serving = createServingCertificateManager({ ...options, addresses: () => addresses });
    const next = createClientCertificateManager(options);
    await client.start();
    await serving.start();
    while (client.current() === undefined || serving.current() === undefined) await new Promise((done) => setImmediate(done));
    expect(requests.last().spec).toMatchObject({ signerName: 'kubernetes.io/kubelet-serving', expirationSeconds: 86_400 });
    expect(requests.last().spec.usages).toEqual(['digital signature', 'server auth']);
    await next.start();
    expect(next.current()?.cert).toBe(client.current()?.cert);
    expect(requests.count).toBe(2);
    if (hasOpenssl) {
      writeFileSync(path('ca.crt'), authority);
      for (const prefix of ['kubelet-client', 'kubelet-server']) {
        const file = path(`${prefix}-current.pem`);
        expect(openssl('verify', '-no_check_time', '-CAfile', path('ca.crt'), file)).toContain('OK');
        expect(openssl('pkey', '-in', file, '-pubout')).toBe(openssl('x509', '-in', file, '-noout', '-pubkey'));
      }
      const text = openssl('x509', '-in', path('kubelet-server-current.pem'), '-noout', '-ext', 'subjectAltName');
      expect(text).toContain('IP Address:192.0.2.1');
    }
    for (const manager of [client, serving, next]) await manager.stop();
  });
});
