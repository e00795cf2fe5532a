import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type CertificateSigningRequest, isPodReady, type Pod } from '@nodeagent/api';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, startAgent } from '../support/agent/agent-process.js';
import { createWorkspace, shellPod, type Workspace } from '../support/agent/workspace.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { until } from '../support/until.js';

const token = 'abcdef.0123456789abcdef';
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });

interface Credentials {
  ca: string;
  cert: string;
  key: string;
}

/** The credentials inside a kubeconfig of the test API server. */
function credentialsOf(kubeconfig: string): Credentials {
  const { clusters, users } = JSON.parse(kubeconfig);
  const decode = (text: string) => Buffer.from(text, 'base64').toString();
  const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user;
  return { ca: decode(clusters[0].cluster['certificate-authority-data']), cert: decode(cert), key: decode(key) };
}

/** A port that no process listens on. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** `nodeagent run` with only the token of a bootstrap. Certificates are due for rotation when they are issued. */
describe('a node with only a bootstrap token', () => {
  let work: Workspace;
  let server: TestApiServer;
  let agent: AgentProcess;
  let admin: Credentials;
  let port: number;
  const pki = () => join(work.dir, 'pki');
  const files = (prefix: string) => readdirSync(pki()).filter((name) => name.startsWith(prefix) && !name.includes('current'));
  const pod = (name: string) => server.objects.get<Pod>('pods', name, 'default');

  /** The response of the node's HTTP API and the serial number of its certificate. */
  const ask = (path: string): Promise<{ body: string; serial: string }> =>
    new Promise((resolve, reject) => {
      const request = get({ ...admin, host: '127.0.0.1', port, path, agent: false, servername: '', checkServerIdentity: () => undefined });
      request.on('error', reject);
      request.on('response', async (response) => {
        const serial = (response.socket as import('node:tls').TLSSocket).getPeerCertificate().serialNumber;
        let body = '';
        for await (const piece of response) body += piece;
        resolve({ body, serial });
      });
    });

  beforeAll(async () => {
    work = createWorkspace();
    port = await freePort();
    server = createTestApiServer({
      scheduler: true,
      nodeRestriction: true,
      tokens: { [token]: { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] } },
      certificateSigner: {
        autoApprove: ['kubernetes.io/kube-apiserver-client-kubelet', 'kubernetes.io/kubelet-serving'],
        lifetimeMs: 90_000,
      },
    });
    await server.listen({ tls: true });
    admin = credentialsOf(server.kubeconfig({ user: { username: 'jane', groups: ['system:masters'] } }));
    writeFileSync(join(work.dir, 'ca.crt'), admin.ca);
    writeFileSync(join(work.dir, 'bootstrap'), server.kubeconfig({ token }), { mode: 0o600 });
    writeFileSync(
      join(work.dir, 'config'),
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nserverTLSBootstrap: true\n',
    );
    agent = startAgent([
      ...work.flags,
      ...['--bootstrap-kubeconfig', join(work.dir, 'bootstrap'), '--kubeconfig', join(work.dir, 'kubeconfig'), '--cert-dir', pki()],
      ...['--rotate-certificates', '--config', join(work.dir, 'config'), '--client-ca-file', join(work.dir, 'ca.crt')],
      ...['--port', String(port)],
    ]);
  });
  cleanUpAfterAll({
    'the agent': () => agent?.end('SIGKILL'),
    'the API server': () => server?.close(),
    'the folder': () => work?.remove(),
  });

  it('requests its certificates and runs a pod', async () => {
    work.write('web.yaml', shellPod('web', 'echo hello; trap "exit 0" TERM; sleep infinity & wait $!'));
    await until('the pod to be ready', async () => isPodReady(pod('web-e2e') ?? {}));
    expect(readFileSync(join(work.dir, 'kubeconfig'), 'utf8')).toContain(
      `client-certificate: "${join(pki(), 'kubelet-client-current.pem')}"`,
    );
  });

  it('serves logs while both certificates rotate', async () => {
    const serials = new Set<string>();
    await until('three serving certificates', async () => {
      const { body, serial } = await ask('/containerLogs/default/web-e2e/main');
      expect(body).toBe('hello\n');
      serials.add(serial);
      return serials.size >= 3;
    });
    await until('two client certificates', async () => files('kubelet-client').length >= 2);
    expect((await ask('/metrics')).body).toMatch(/kubelet_certificate_manager_server_ttl_seconds \d+\n/);
  });

  it('keeps files that openssl verifies and only root can read', () => {
    for (const prefix of ['kubelet-client', 'kubelet-server']) {
      expect(readlinkSync(join(pki(), `${prefix}-current.pem`))).toBe(join(pki(), files(prefix).sort().at(-1) ?? ''));
      for (const name of files(prefix)) {
        const path = join(pki(), name);
        expect(statSync(path).mode & 0o777).toBe(0o600);
        if (!hasOpenssl) continue;
        expect(openssl('verify', '-CAfile', join(work.dir, 'ca.crt'), path)).toBe(`${path}: OK\n`);
        expect(openssl('x509', '-in', path, '-noout', '-text')).toMatch(/Subject: O ?= ?system:nodes, CN ?= ?system:node:e2e/);
        expect(openssl('pkey', '-in', path, '-noout', '-check')).toContain('Key is valid');
      }
    }
  });

  it('waits for the certificate of a node that does not rotate it', async () => {
    const other = createWorkspace('e2e-2');
    const waiting = startAgent([
      ...other.flags,
      ...['--bootstrap-kubeconfig', join(work.dir, 'bootstrap'), '--kubeconfig', join(other.dir, 'kubeconfig')],
    ]);
    try {
      await until('the node', async () => server.objects.get('nodes', 'e2e-2'));
      const requests = server.objects.list<CertificateSigningRequest>('certificatesigningrequests');
      expect(requests.filter(({ metadata }) => metadata?.name?.startsWith('node-csr-'))).toHaveLength(1);
      expect(readdirSync(join(other.root, 'pki'))).toEqual([expect.stringMatching(/^kubelet-client-\d/), 'kubelet-client-current.pem']);
    } finally {
      await waiting.end('SIGKILL');
      other.remove();
    }
  });

  it('logs no private keys', () => {
    const text = agent.lines.map((line) => JSON.stringify(line)).join('\n');
    expect(text).not.toContain('PRIVATE KEY');
    expect(text).not.toContain(token);
  });
});
