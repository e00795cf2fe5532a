/**
 * A node that starts with the token of a bootstrap kubeconfig: it requests its client certificate, continues with it, and requests a serving
 * certificate, which the test approves. All over TLS, with an API server in memory.
 *     node_modules/.bin/tsx examples/tls-bootstrap/main.ts
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateSigningRequest } from '@nodeagent/api';
import {
  type CertificatePair,
  createClientCertificateManager,
  createServingCertificateManager,
  prepareTlsBootstrap,
} from '@nodeagent/certificate-manager';
import { connectKubeClient, loadKubeconfig } from '@nodeagent/kube-client/node';
import { createTestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';

const server = createTestApiServer({
  network: machineNetwork,
  tokens: { 'abcdef.0123456789abcdef': { username: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] } },
  certificateSigner: {},
  onRequest({ info, user }) {
    if (info.verb === 'create') console.log(`${user.username} created an object of ${info.resource}`);
  },
});
await server.listen({ tls: true });

const folder = mkdtempSync(join(tmpdir(), 'tls-bootstrap-'));
const directory = join(folder, 'pki');
const [kubeconfigPath, bootstrapKubeconfigPath] = [join(folder, 'kubelet.conf'), join(folder, 'bootstrap.conf')];
writeFileSync(bootstrapKubeconfigPath, server.kubeconfig({ token: 'abcdef.0123456789abcdef' }), { mode: 0o600 });

const clientOf = async (path: string) => connectKubeClient({ cluster: await loadKubeconfig({ path }) });
const { isBootstrap, requestKubeconfigPath } = await prepareTlsBootstrap({ kubeconfigPath, bootstrapKubeconfigPath, directory });
const [bootstrapClient, nodeClient] = await Promise.all([clientOf(requestKubeconfigPath), clientOf(kubeconfigPath)]);
const api = (current: CertificatePair | undefined) => (current ? nodeClient : bootstrapClient).certificateSigningRequests;
console.log('bootstrap:', isBootstrap);

const client = createClientCertificateManager({ nodeName: 'edge-1', directory, api });
const issued = new Promise<CertificatePair>((resolve) => client.onRotation(resolve));
await client.start();
console.log('client certificate of', (await issued).facts.commonName);

const addresses = [{ type: 'InternalIP', address: '192.0.2.7' }];
const serving = createServingCertificateManager({
  nodeName: 'edge-1',
  directory,
  addresses: () => addresses,
  api: () => api(client.current()),
});
const served = new Promise<CertificatePair>((resolve) => serving.onRotation(resolve));
await serving.start();

// An administrator: kubectl certificate approve NAME
const pending = () =>
  server.objects.list<CertificateSigningRequest>('certificatesigningrequests').find(({ status }) => !status?.conditions);
while (pending() === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
const status = { conditions: [{ type: 'Approved', status: 'True' }] };
const change = (request: CertificateSigningRequest) => Object.assign(request, { status });
server.objects.update('certificatesigningrequests', pending()?.metadata?.name ?? '', change, { subresource: 'approval' });
console.log('serving certificate for', (await served).facts.ips);
console.log(readdirSync(directory).filter((name) => name.endsWith('current.pem')));

await client.stop();
await serving.stop();
await server.close();
rmSync(folder, { recursive: true });
