import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assetScripts } from './assets/scripts.js';
import { frameworks } from './frameworks.fixture.js';
import { call, createAuthority, freePort, killAll, selfSigned, start, watchTypes } from './stand-ins.fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'envtest-'));
beforeAll(async () => {
  const entryPoints = ['kube-apiserver', 'etcd', 'kubectl'].map((name) => fileURLToPath(new URL(`${name}.ts`, import.meta.url)));
  // The parser of YAML, which is loaded lazily, is CommonJS.
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({ entryPoints, outdir: join(folder, 'dist'), bundle: true, splitting: true, platform: 'node', format: 'esm', banner });
  writeFileSync(join(folder, 'dist', 'package.json'), '{"type":"module"}');
  writeAssets('alone', {});
  writeAssets('nodes', { nodes: 1 });
});
afterEach(killAll);
afterAll(() => rmSync(folder, { recursive: true }));

function writeAssets(name: string, choice: object): void {
  mkdirSync(join(folder, name));
  const scripts = assetScripts({ node: process.execPath, programs: join(folder, 'dist'), choice });
  for (const [program, text] of Object.entries(scripts)) writeFileSync(join(folder, name, program), text, { mode: 0o755 });
}

/** etcd and kube-apiserver with the flags of controller-runtime's envtest. */
async function startEnvironment(assets: string) {
  const dir = mkdtempSync(join(folder, 'env-'));
  const [etcdPort, peerPort] = [await freePort(), await freePort()];
  const [servers, clients, accounts] = [createAuthority('servers'), createAuthority('clients'), createAuthority('accounts')];
  const serving = servers.issue({ commonName: 'localhost' }, { usages: ['server'], hosts: ['localhost', '127.0.0.1'] });
  const files = { 'apiserver.crt': serving.cert, 'apiserver.key': serving.key, 'client-cert-auth-ca.crt': clients.cert };
  const more = { 'sa-signer.crt': accounts.cert, 'sa-signer.key': accounts.key, 'tokens.csv': 'secret,joe,7,"readers"\n' };
  for (const [name, text] of Object.entries({ ...files, ...more })) writeFileSync(join(dir, name), text);
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const etcdArgs = [`--advertise-client-urls=${etcdUrl}`, `--data-dir=${dir}/etcd`, `--listen-client-urls=${etcdUrl}`];
  const peers = [`--listen-peer-urls=http://127.0.0.1:${peerPort}`, '--unsafe-no-fsync=true'];
  const etcd = await start(join(folder, assets, 'etcd'), [...etcdArgs, ...peers], `${etcdUrl}/health`);
  const startServer = async () => {
    const port = await freePort();
    const url = `https://127.0.0.1:${port}`;
    const args = [
      ...['--allow-privileged=true', '--authorization-mode=RBAC', '--bind-address=127.0.0.1', `--cert-dir=${dir}`],
      ...[`--client-ca-file=${dir}/client-cert-auth-ca.crt`, '--disable-admission-plugins=ServiceAccount', `--etcd-servers=${etcdUrl}`],
      ...[`--secure-port=${port}`, `--service-account-issuer=${url}/`, `--service-account-key-file=${dir}/sa-signer.crt`],
      ...[`--service-account-signing-key-file=${dir}/sa-signer.key`, '--service-cluster-ip-range=10.0.0.0/24'],
      `--token-auth-file=${dir}/tokens.csv`,
    ];
    return { url, args, ...(await start(join(folder, assets, 'kube-apiserver'), args, `${url}/healthz`, servers.cert)) };
  };
  const admin = clients.issue({ commonName: 'admin', organizations: ['system:masters'] }, { usages: ['client'] });
  return { dir, etcd, startServer, ca: servers.cert, admin, clients };
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' } },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } };
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

describe('the stand-ins', () => {
  it('run as envtest runs etcd and kube-apiserver, and keep the objects of an etcd', async () => {
    const { etcd, startServer, ca, admin } = await startEnvironment('alone');
    const first = await startServer();
    const client = { url: first.url, ca, own: admin };
    expect((await call(client, 'POST', definitions, definition)).code).toBe(201);
    expect((await call(client, 'POST', widgets, widget)).code).toBe(201);
    expect((await call(client, 'GET', '/api/v1/namespaces/default/services/kubernetes')).object.spec.clusterIP).toBe('10.0.0.1');
    expect((await call(client, 'GET', '/api/v1/serviceaccounts')).object.items).toEqual([]);
    const rival = spawn(join(folder, 'alone', 'kube-apiserver'), first.args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [[message], [code]] = await Promise.all([once(rival.stderr, 'data'), once(rival, 'exit')]);
    expect([String(message), code]).toEqual([expect.stringContaining('stop that server'), 1]);
    await first.stop();
    const second = await startServer();
    expect((await call({ ...client, url: second.url }, 'GET', `${widgets}/w`)).code).toBe(200);
    await second.stop();
    await etcd.stop();
  });

  it('know users by client certificates, tokens and service accounts, and authorize by roles', async () => {
    const { startServer, ca, admin, clients } = await startEnvironment('alone');
    const { url } = await startServer();
    const jane = { url, ca, own: clients.issue({ commonName: 'jane' }, { usages: ['client'] }) };
    const joe = { url, ca, token: 'secret' };
    const foreigners = {
      url,
      ca,
      own: createAuthority('clients').issue({ commonName: 'admin', organizations: ['system:masters'] }, { usages: ['client'] }),
    };
    const codes = () => Promise.all([jane, joe, foreigners].map(async (each) => (await call(each, 'GET', '/api/v1/pods')).code));
    expect(await codes()).toEqual([403, 403, 403]);
    const bind = (name: string, kind: string) =>
      call({ url, ca, own: admin }, 'POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind, name }],
      });
    await bind('jane', 'User');
    await bind('readers', 'Group');
    expect(await codes()).toEqual([200, 200, 403]);
    expect((await call({ url, ca, token: 'wrong' }, 'GET', '/version')).code).toBe(401);
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await call({ url, ca, own: admin }, 'POST', accounts, { metadata: { name: 'robot' } });
    const { object } = await call({ url, ca, own: admin }, 'POST', `${accounts}/robot/token`, { spec: {} });
    const me = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { object: review } = await call({ url, ca, token: object.status.token }, 'POST', me, {});
    expect(review.status.userInfo.username).toBe('system:serviceaccount:default:robot');
    const { object: jwks } = await call({ url, ca, token: object.status.token }, 'GET', '/openid/v1/jwks');
    expect(jwks.keys).toMatchObject([{ kty: 'EC', alg: 'ES256' }]);
  });

  it.each(frameworks)('run with the flags of $name', async ({ etcd, server, ready, signal }) => {
    const dir = mkdtempSync(join(folder, 'framework-'));
    const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
    const serving = selfSigned({ commonName: 'example.org' }, ['127.0.0.1']);
    const user = selfSigned({ commonName: 'kubeapitest', organizations: ['system:masters'] });
    const files = { 'apiserver.crt': serving.cert, 'apiserver.key': serving.key, 'client.crt': user.cert, 'client.key': user.key };
    for (const [name, text] of Object.entries({ ...files, 'tokens.csv': 'secret,admin,1,"system:masters"\n' }))
      writeFileSync(join(dir, name), text);
    const paths = { dir, etcdPort, peerPort, port };
    const { child: etcdChild } = await start(join(folder, 'alone', 'etcd'), etcd(paths), `http://127.0.0.1:${etcdPort}/health`);
    const url = `https://127.0.0.1:${port}`;
    const { child } = await start(join(folder, 'alone', 'kube-apiserver'), server(paths), `${url}${ready}`, serving.cert);
    const client = { url, ca: serving.cert, ...(server(paths).join().includes('client-ca') ? { own: user } : { token: 'secret' }) };
    const maps = '/api/v1/namespaces/default/configmaps';
    const seen = watchTypes(client, maps);
    expect((await call(client, 'POST', maps, { metadata: { name: 'c' } })).code).toBe(201);
    expect((await call(client, 'DELETE', `${maps}/c`)).code).toBe(200);
    expect(await seen).toEqual(['ADDED', 'DELETED']);
    const exits = [child, etcdChild].map((each) => once(each, 'exit'));
    for (const each of [child, etcdChild]) each.kill(signal);
    for (const exit of exits) expect(await exit).toEqual(signal === 'SIGTERM' ? [0, null] : [null, signal]);
    expect(readFileSync(join(dir, 'apiserver.crt'), 'utf8')).toBe(serving.cert);
  });

  it('check for Java frameworks that the server is ready, without kubectl', async () => {
    const { dir, startServer, ca, admin } = await startEnvironment('alone');
    const { url } = await startServer();
    for (const [name, text] of Object.entries({ 'client.crt': admin.cert, 'client.key': admin.key, 'ca.crt': ca }))
      writeFileSync(join(dir, name), text);
    const flags = [`--client-certificate=${dir}/client.crt`, `--client-key=${dir}/client.key`, `--certificate-authority=${dir}/ca.crt`];
    const kubectl = (...command: string[]) =>
      execFileSync(join(folder, 'alone', 'kubectl'), [...flags, `--server=${url}`, '--request-timeout=5s', ...command], {
        ...{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: '' } },
      });
    expect(kubectl('get', 'ns', 'default')).toBe('namespace/default\n');
    expect(() => kubectl('get', 'ns', 'none')).toThrow('namespace "none": not found');
    expect(() => kubectl('get', 'pods')).toThrow('kubectl is not on PATH');
  });

  it('run pods on nodes', async () => {
    const { startServer, ca, admin } = await startEnvironment('nodes');
    const { url, stop } = await startServer();
    const client = { url, ca, own: admin };
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
    await call(client, 'POST', '/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'web' }, spec });
    const ready = async () => (await call(client, 'GET', '/apis/apps/v1/namespaces/default/deployments/web')).object.status.readyReplicas;
    await expect.poll(ready).toBe(2);
    await stop();
  });

  it('print the flags that frameworks look for', () => {
    const help = (program: string) => execFileSync(join(folder, 'alone', program), ['--help'], { encoding: 'utf8' });
    expect([help('etcd'), help('kube-apiserver')]).toEqual([
      expect.stringContaining('--unsafe-no-fsync'),
      expect.stringContaining('--secure-port'),
    ]);
    expect(execFileSync(join(folder, 'alone', 'kube-apiserver'), ['--version'], { encoding: 'utf8' })).toBe('Kubernetes v1.36.2\n');
  });
});
