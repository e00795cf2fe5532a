import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { CertificateSigningRequest, Node, Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AgentProcess, startAgent } from '../support/agent/agent-process.js';
import { createWorkspace, type Workspace } from '../support/agent/workspace.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { required } from '../support/containerd/describe-on-containerd.js';
import { freePort } from '../support/free-port.js';
import { createKubectl } from '../support/kubectl/kubectl.js';
import { provideKubectl } from '../support/kubectl/provide-kubectl.js';
import { machineAddress } from '../support/machine-address.js';
import { parsePrometheusText } from '../support/prometheus-text.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, type TestRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const nodeName = 'e2e';
const token = 'abcdef.0123456789abcdef';
const signers = { client: 'kubernetes.io/kube-apiserver-client-kubelet', serving: 'kubernetes.io/kubelet-serving' };
const address = machineAddress();
const kubectlBinary = provideKubectl(required);

describeOnRuntimes('the certificates of a node', ['2', '1.6'], testCertificates);

function testCertificates(testRuntime: TestRuntime): void {
  let runtime: PrivateRuntime;
  let server: TestApiServer;
  let work: Workspace;
  let port: number;
  let agent: AgentProcess | undefined;
  /** The users of requests that were refused. */
  const refused: string[] = [];
  const users = new Set<string>();

  beforeAll(async () => {
    runtime = await testRuntime.start();
  });
  cleanUpAfterAll({ 'the runtime': () => runtime?.cleanup() });
  beforeEach(async () => {
    refused.length = 0;
    users.clear();
    work = createWorkspace(nodeName);
    port = await freePort();
  });
  afterEach(async () => {
    await agent?.end('SIGKILL');
    agent = undefined;
    await server.close();
    work.remove();
  });

  const file = (name: string) => join(work.dir, name);
  const pki = (name: string) => join(work.root, 'pki', name);

  /** A cluster in which the bootstrap token may only request certificates, and anonymous clients may do nothing. */
  async function startServer(lifetimeMs: number): Promise<void> {
    server = createTestApiServer({
      network: machineNetwork,
      nodeRestriction: true,
      tokens: { [token]: { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] } },
      anonymous: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
      certificateSigner: { autoApprove: Object.values(signers), lifetimeMs, backdateMs: 1_000 },
      nodeProxy: { verify: true },
      authorizer({ user: { username, groups = [] }, resource, path }) {
        users.add(username);
        const isTrusted = groups.includes('system:nodes') || groups.includes('system:masters');
        const allowed =
          isTrusted || (groups.includes('system:bootstrappers') && (resource === 'certificatesigningrequests' || path === '/healthz'));
        if (!allowed) refused.push(username);
        return { allowed };
      },
    });
    await server.listen({ tls: true });
    writeFileSync(file('bootstrap.conf'), server.kubeconfig({ token }), { mode: 0o600 });
    writeFileSync(file('config'), server.kubeconfig({ user: { username: 'jane', groups: ['system:masters'] } }));
    writeFileSync(file('ca.crt'), server.caCertificate);
  }

  function runAgent(...flags: string[]): AgentProcess {
    agent = startAgent([
      ...['--bootstrap-kubeconfig', file('bootstrap.conf'), '--kubeconfig', file('kubelet.conf'), '--runtime-endpoint', runtime.endpoint],
      ...['--root-dir', work.root, '--pod-logs-dir', file('logs'), '--node-name', nodeName, '--node-ip', address],
      ...['--port', `${port}`, '--client-ca-file', file('ca.crt'), '--authorization-mode', 'AlwaysAllow', ...flags],
    ]);
    return agent;
  }

  const requests = (signer: string) =>
    server.objects.list<CertificateSigningRequest>('certificatesigningrequests').filter(({ spec }) => spec.signerName === signer);
  const nodeIsReady = () => {
    const { conditions = [] } = server.objects.get<Node>('nodes', nodeName)?.status ?? {};
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  };

  async function runPod(): Promise<void> {
    server.objects.create<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'talker', namespace: 'default' },
      spec: {
        nodeName,
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: testImage, imagePullPolicy: 'Never', command: ['sh', '-c', 'echo hello; sleep 100000'] }],
      },
    });
    await until('the pod to be ready', async () => {
      const pod = server.objects.get<Pod>('pods', 'talker');
      return pod !== undefined && isPodReady(pod);
    });
  }

  /** The serial number of the serving certificate, which the cluster's authority must have signed. */
  const servedSerial = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ host: address, port, ca: server.caCertificate }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.on('error', reject);
    });

  const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  /** openssl's verdict of a pair: chain, purpose, subject, and that the key is that of the certificate. */
  function inspectPair(path: string, purpose: 'sslclient' | 'sslserver'): string {
    expect(openssl('verify', '-CAfile', file('ca.crt'), '-purpose', purpose, path)).toContain(': OK');
    expect(openssl('pkey', '-in', path, '-pubout')).toBe(openssl('x509', '-in', path, '-noout', '-pubkey'));
    return openssl('x509', '-in', path, '-noout', '-subject', '-ext', 'subjectAltName,extendedKeyUsage');
  }

  it('a node with only a bootstrap token joins and runs a pod, and logs are read while both certificates rotate', async () => {
    await startServer(12_000);
    const { lines } = runAgent('--rotate-certificates', '--rotate-server-certificates');
    await until('the node to be ready', async () => nodeIsReady());
    await runPod();
    await until('a serving certificate', servedSerial);

    const kubectl = kubectlBinary === undefined ? undefined : createKubectl(kubectlBinary, work.dir);
    const serials = new Set<string>();
    let reads = 0;
    refused.length = 0;
    users.clear();
    const from = lines.length;
    await until(
      'three serving certificates and four client certificates',
      async () => {
        serials.add(await servedSerial());
        if (kubectl !== undefined) {
          expect(await kubectl.succeeds('logs talker')).toBe('hello\n');
          reads += 1;
        }
        expect(nodeIsReady()).toBe(true);
        return serials.size >= 3 && requests(signers.client).length >= 4;
      },
      90_000,
    );
    console.log(`${reads} reads of logs over ${serials.size} serving certificates; client requests: ${requests(signers.client).length}`);

    expect(refused).toEqual([]);
    expect([...users].filter((user) => user !== 'jane')).toEqual([`system:node:${nodeName}`]);
    const problems = lines.slice(from).filter(({ level }) => level === 'warn' || level === 'error');
    expect(problems).toEqual([]);
    const rotation = 'Certificate rotation detected, shutting down client connections to start using new credentials';
    expect(lines.some(({ msg }) => msg === rotation)).toBe(true);
    const metrics = parsePrometheusText(await metricsOf(file('config')));
    for (const role of ['client', 'server']) {
      const ttl = metrics.find(({ name }) => name === `kubelet_certificate_manager_${role}_ttl_seconds`);
      expect(ttl?.value).toBeGreaterThanOrEqual(0);
      expect(ttl?.value).toBeLessThanOrEqual(12);
    }

    // No request starts while openssl reads the files.
    agent?.signal('SIGSTOP');
    for (const { spec } of [...requests(signers.client), ...requests(signers.serving)]) {
      writeFileSync(file('request.pem'), Buffer.from(spec.request, 'base64'));
      expect(openssl('req', '-in', file('request.pem'), '-noout', '-verify', '-subject')).toContain(`system:node:${nodeName}`);
    }
    expect(inspectPair(pki('kubelet-client-current.pem'), 'sslclient')).toMatch(/system:nodes.*TLS Web Client Authentication/s);
    expect(inspectPair(pki('kubelet-server-current.pem'), 'sslserver')).toMatch(
      /TLS Web Server Authentication.*IP Address:|IP Address:.*TLS Web Server Authentication/s,
    );
    const pairs = readdirSync(join(work.root, 'pki')).filter((name) => /^kubelet-(client|server)-\d{4}(-\d\d){5}\.pem$/.test(name));
    expect(pairs.length).toBeGreaterThanOrEqual(7);
    for (const name of pairs) expect(statSync(pki(name)).mode & 0o777, name).toBe(0o600);
    for (const role of ['client', 'server']) {
      expect(lstatSync(pki(`kubelet-${role}-current.pem`)).isSymbolicLink()).toBe(true);
      expect(pairs.map(pki)).toContain(realpathSync(pki(`kubelet-${role}-current.pem`)));
    }
    expect(statSync(file('kubelet.conf')).mode & 0o777).toBe(0o600);
    agent?.signal('SIGCONT');

    const logged = JSON.stringify(lines);
    for (const name of pairs) expect(logged).not.toContain(keyBody(readFileSync(pki(name), 'utf8')));
    expect(logged).not.toContain(token);
  });

  it('bootstraps again when the certificate expired while the agent was stopped', async () => {
    await startServer(8_000);
    runAgent('--rotate-certificates');
    await until('the node to be ready', async () => nodeIsReady());
    await agent?.end('SIGTERM');
    const before = requests(signers.client).length;
    await sleep(8_500);
    users.clear();
    runAgent('--rotate-certificates');
    await until('another certificate', async () => requests(signers.client).length > before);
    expect(users).toContain('system:bootstrap:abcdef');
    await until('the node to report again', async () => users.has(`system:node:${nodeName}`));
  });

  it('without rotation it waits for its only certificate, and uses it after a restart', async () => {
    await startServer(3_600_000);
    runAgent();
    await until('the node to be ready', async () => nodeIsReady());
    const [request, ...others] = requests(signers.client);
    expect(others).toEqual([]);
    expect(request?.metadata?.name).toMatch(/^node-csr-[\w-]{43}$/);
    expect(readdirSync(join(work.root, 'pki'))).not.toContain('kubelet-client.key.tmp');
    expect(readFileSync(file('kubelet.conf'), 'utf8')).toContain(pki('kubelet-client-current.pem'));
    await agent?.end('SIGTERM');
    users.clear();
    runAgent();
    await until('the node to report again', async () => users.has(`system:node:${nodeName}`));
    expect(users).not.toContain('system:bootstrap:abcdef');
    expect(requests(signers.client)).toHaveLength(1);
    await agent?.end('SIGTERM');
    users.clear();
    runAgent('--rotate-certificates');
    await until('the node to report a third time', async () => users.has(`system:node:${nodeName}`));
    expect([...users]).toEqual([`system:node:${nodeName}`]);
  });

  async function metricsOf(kubeconfig: string): Promise<string> {
    const { connectKubeClient, loadKubeconfig } = await import('@nodeagent/kube-client/node');
    const client = connectKubeClient({ cluster: await loadKubeconfig({ path: kubeconfig }) });
    try {
      return await client.raw('GET', `/api/v1/nodes/${nodeName}/proxy/metrics`);
    } finally {
      client.closeConnections();
    }
  }
}

/** The second line of the private key's text. */
const keyBody = (pem: string) => /-----BEGIN EC PRIVATE KEY-----\n.+\n(.+)\n/.exec(pem)?.[1] ?? pem;
