import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateSigningRequest } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { createCertificateRequest } from '@nodeagent/x509/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootstrapClientCertificate } from './bootstrap-client-certificate.js';
import { clientTemplate } from './certificate-template.js';
import { loadPair } from './file-store.js';
import { readKubeconfig } from './kubeconfig.js';
import { bootstrapRequestName } from './signing-request.js';
import { createTestRequests, signedPair } from './test-signer.js';
import { kubeconfigCertificate, prepareTlsBootstrap } from './tls-bootstrap.js';

const day = 86_400_000;
const bootstrapText = `
apiVersion: v1
kind: Config
current-context: bootstrap
clusters: [{ name: c, cluster: { server: "https://192.0.2.1:6443", certificate-authority: ca.crt } }]
users: [{ name: u, user: { token: abcdef.secret } }]
contexts: [{ name: bootstrap, context: { cluster: c, user: u } }]
`;

let folder: string;
const path = (name: string) => join(folder, name);
const current = () => path('pki/kubelet-client-current.pem');
const paths = () => ({ kubeconfigPath: path('kubeconfig'), bootstrapKubeconfigPath: path('bootstrap'), directory: path('pki') });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootstrap-'));
  writeFileSync(path('bootstrap'), bootstrapText);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inlineKubeconfig = (cert: string, key: string) =>
  bootstrapText.replace(
    'token: abcdef.secret',
    `client-certificate-data: ${Buffer.from(cert).toString('base64')}, client-key-data: ${Buffer.from(key).toString('base64')}`,
  );

describe('prepareTlsBootstrap', () => {
  it('writes a kubeconfig that names the file of the current certificate', async () => {
    const prepared = await prepareTlsBootstrap({ ...paths(), clock: createVirtualClock() });
    expect(prepared).toEqual({ requestKubeconfigPath: path('bootstrap'), isBootstrap: true });
    const pair = path('pki/kubelet-client-current.pem');
    expect(readFileSync(path('kubeconfig'), 'utf8')).toBe(`apiVersion: v1
clusters:
- cluster:
    certificate-authority: ${path('ca.crt')}
    server: https://192.0.2.1:6443
  name: default-cluster
contexts:
- context:
    cluster: default-cluster
    namespace: default
    user: default-auth
  name: default-context
current-context: default-context
kind: Config
users:
- name: default-auth
  user:
    client-certificate: ${pair}
    client-key: ${pair}
`);
    expect(statSync(path('kubeconfig')).mode & 0o777).toBe(0o600);
  });

  it('uses a kubeconfig with a valid certificate, and the bootstrap once it expires', async () => {
    const clock = createVirtualClock();
    const { cert, key } = signedPair('system:node:n1', clock.now(), day);
    writeFileSync(path('kubeconfig'), inlineKubeconfig(cert, key));
    rmSync(path('bootstrap'));
    expect(await prepareTlsBootstrap({ ...paths(), clock })).toEqual({ requestKubeconfigPath: path('kubeconfig'), isBootstrap: false });
    expect((await kubeconfigCertificate(path('kubeconfig')))?.cert).toBe(cert);
    writeFileSync(path('bootstrap'), bootstrapText);
    await clock.advance(day + 1_000);
    expect(await prepareTlsBootstrap({ ...paths(), clock })).toMatchObject({ isBootstrap: true });
    expect(await kubeconfigCertificate(path('bootstrap'))).toBeUndefined();
  });

  it.each([
    ['nonsense: [', 'syntax error in line 1'],
    ['', 'there is no context undefined'],
    [bootstrapText.replace('current-context: bootstrap', 'current-context: other'), 'there is no context "other"'],
    [bootstrapText.replace('cluster: c,', 'cluster: d,'), 'there is no cluster "d"'],
    [bootstrapText.replace('server: "https://192.0.2.1:6443", ', ''), 'the cluster has no server'],
  ])('refuses the bootstrap kubeconfig %j', async (text, problem) => {
    writeFileSync(path('bootstrap'), text);
    const error = await prepareTlsBootstrap(paths()).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'InvalidKubeconfig', details: { path: path('bootstrap') } });
    expect(error.message).toContain(problem);
    expect(error.message).not.toContain('secret');
  });

  it('logs why an existing kubeconfig is not used', async () => {
    writeFileSync(path('kubeconfig'), 'nonsense');
    const logger = createRecordingLogger();
    expect(await prepareTlsBootstrap({ ...paths(), logger })).toMatchObject({ isBootstrap: true });
    expect(logger.lines).toMatchObject([{ message: 'the kubeconfig has no usable client certificate, using the bootstrap kubeconfig' }]);
    await expect(prepareTlsBootstrap({ ...paths(), directory: '' })).rejects.toMatchObject({ code: 'InvalidOption' });
  });
});

describe('readKubeconfig', () => {
  it('keeps inline authorities and insecure-skip-tls-verify', async () => {
    writeFileSync(
      path('bootstrap'),
      bootstrapText.replace('certificate-authority: ca.crt', 'certificate-authority-data: Q0E=, insecure-skip-tls-verify: true'),
    );
    expect((await readKubeconfig(path('bootstrap'))).cluster).toEqual({
      server: 'https://192.0.2.1:6443',
      'certificate-authority-data': 'Q0E=',
      'insecure-skip-tls-verify': true,
    });
  });
});

describe('bootstrapClientCertificate', () => {
  function setUp() {
    const clock = createVirtualClock();
    const logger = createRecordingLogger();
    const requests = createTestRequests(clock, 365 * day);
    const api = { ...requests.api, get: async (): Promise<CertificateSigningRequest> => requests.last() };
    const options = { ...paths(), nodeName: 'n1', api: async () => api, clock, logger };
    /** Waits for files, which the virtual clock does not. */
    const untilRequested = async (count = 1) => {
      while (requests.count < count || requests.listeners.size === 0) await new Promise((done) => setImmediate(done));
    };
    return { clock, logger, requests, options, untilRequested };
  }

  it('requests, stores the certificate, writes the kubeconfig, and does nothing the next time', async () => {
    const { requests, options, untilRequested } = setUp();
    const done = bootstrapClientCertificate(options);
    await untilRequested();
    const key = readFileSync(path('pki/kubelet-client.key.tmp'), 'utf8');
    const publicKey = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });
    const { name } = requests.last().metadata ?? {};
    expect(name).toBe(bootstrapRequestName(publicKey, clientTemplate('n1')));
    expect(name).toMatch(/^node-csr-[\w-]{43}$/);
    requests.approve();
    requests.sign();
    await done;
    expect(existsSync(path('pki/kubelet-client.key.tmp'))).toBe(false);
    expect((await loadPair(current(), current())).facts.commonName).toBe('system:node:n1');
    expect(await kubeconfigCertificate(path('kubeconfig'))).toBeUndefined();
    await bootstrapClientCertificate(options);
    expect(requests.count).toBe(1);
  });

  it('continues with the same key and request after a restart', async () => {
    const { requests, options, untilRequested } = setUp();
    const controller = new AbortController();
    const first = bootstrapClientCertificate({ ...options, signal: controller.signal });
    await untilRequested();
    controller.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    requests.approve();
    requests.sign();
    await bootstrapClientCertificate(options);
    expect(requests.count).toBe(1);
    expect((await loadPair(current(), current())).facts.commonName).toBe('system:node:n1');
  });

  const otherRequest = () => {
    const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
    return Buffer.from(createCertificateRequest({ subject, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) })).toString('base64');
  };
  const expired = {
    conditions: [{ type: 'Approved', status: 'True' }],
    certificate: Buffer.from(signedPair('system:node:n1', Date.UTC(2025), day).cert).toString('base64'),
  };

  it.each<[string, (request: CertificateSigningRequest) => CertificateSigningRequest, string]>([
    ['another signer', ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, signerName: 'example.com/s' } }), 'it has another signer'],
    ['another key', ({ spec, ...rest }) => ({ ...rest, spec: { ...spec, request: otherRequest() } }), 'it has another subject or key'],
    ['an expired certificate', (request) => ({ ...request, status: expired }), 'its certificate expired'],
  ])('refuses an existing request with %s', async (_, change, problem) => {
    const { requests, options, untilRequested } = setUp();
    const controller = new AbortController();
    const first = bootstrapClientCertificate({ ...options, signal: controller.signal }).catch(() => undefined);
    await untilRequested();
    controller.abort();
    await first;
    const api = { ...requests.api, get: async () => change(requests.last()) };
    await expect(bootstrapClientCertificate({ ...options, api: async () => api })).rejects.toMatchObject({
      code: 'CertificateRequestNotCreated',
      message: expect.stringContaining(problem),
    });
  });

  it('waits a minute for the API server, then requests; and an hour for the certificate', async () => {
    const { clock, logger, requests, options, untilRequested } = setUp();
    let waits = 0;
    const apiServerReady = () => {
      waits += 1;
      return new Promise<void>(() => {});
    };
    const done = bootstrapClientCertificate({ ...options, apiServerReady }).catch((error) => error);
    while (waits === 0) await new Promise((next) => setImmediate(next));
    expect(requests.count).toBe(0);
    await clock.advance(60_000);
    await untilRequested();
    expect(logger.lines.map(({ message }) => message)).toEqual(['failed to wait for the API server']);
    await clock.advance(60 * 60_000);
    expect(await done).toMatchObject({ code: 'CertificateRequestTimedOut', retryable: true });
    expect(existsSync(path('kubeconfig'))).toBe(false);
  });

  it('creates another key if that of an earlier bootstrap is invalid', async () => {
    const { logger, requests, options } = setUp();
    requests.signsAtOnce = true;
    const { directory } = options;
    mkdirSync(directory);
    writeFileSync(path('pki/kubelet-client.key.tmp'), 'nonsense');
    await bootstrapClientCertificate(options);
    expect(logger.lines.map(({ message }) => message)).toEqual(['the private key of an earlier bootstrap is invalid, creating another']);
    expect(requests.count).toBe(1);
  });

  it('rejects if the API server refuses the request', async () => {
    const { requests, options } = setUp();
    requests.failure = new Error('connect ECONNREFUSED');
    await expect(bootstrapClientCertificate(options)).rejects.toMatchObject({ code: 'CertificateRequestNotCreated', retryable: true });
  });
});
