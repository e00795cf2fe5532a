import { describe, expect, it } from 'vitest';
import { inClusterConfig } from './in-cluster.js';
import { loadKubeconfig } from './load-kubeconfig.js';
import { parseKubeconfig } from './parse-kubeconfig.js';
import { proxyFor } from './proxy.js';

const pem = (name: string) => `-----BEGIN ${name}-----\nAA==\n-----END ${name}-----\n`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const filesOf = (contents: Record<string, string>) => ({
  async readFile(path: string) {
    const text = contents[path];
    if (text === undefined) throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
    return text;
  },
});
const config = (cluster: object, user: object = {}, more: object = {}) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'k', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    ...more,
  });
const load = (text: string, env = {}) => loadKubeconfig({ path: '/etc/kube/config', env, files: filesOf({ '/etc/kube/config': text }) });

describe('parseKubeconfig', () => {
  it('reads a text, with paths relative to a folder', async () => {
    const text = config({ server: 'https://k:6443', 'certificate-authority': 'pki/ca.crt' }, { tokenFile: '../token' });
    expect(await parseKubeconfig(text, { folder: '/etc/kube' })).toEqual({
      server: 'https://k:6443',
      certificateAuthority: { file: '/etc/kube/pki/ca.crt' },
      identity: { tokenFile: '/etc/token' },
    });
  });

  it('uses no environment by default, and names the field of an error', async () => {
    const text = config({ server: 'https://k:6443' });
    expect((await parseKubeconfig(text)).proxyUrl).toBeUndefined();
    expect((await parseKubeconfig(text, { env: { HTTPS_PROXY: 'proxy:1' } })).proxyUrl).toBe('http://proxy:1');
    await expect(parseKubeconfig(text, { context: 'x' })).rejects.toMatchObject({
      code: 'InvalidKubeconfig',
      details: { field: 'current-context' },
    });
  });
});

describe('loadKubeconfig', () => {
  it('reads YAML with paths relative to the file', async () => {
    const text = `
apiVersion: v1
kind: Config
current-context: main
clusters:
- name: k
  cluster: { server: https://10.0.0.1:6443, certificate-authority: pki/ca.crt, tls-server-name: api, disable-compression: yes }
users:
- name: u
  user: { client-certificate: /pki/u.crt, client-key: ../u.key, tokenFile: token }
contexts:
- name: main
  context: { cluster: k, user: u, namespace: team }
`;
    expect(await load(text)).toEqual({
      server: 'https://10.0.0.1:6443',
      certificateAuthority: { file: '/etc/kube/pki/ca.crt' },
      tlsServerName: 'api',
      disableCompression: true,
      namespace: 'team',
      identity: { clientCertificate: { file: '/pki/u.crt' }, clientKey: { file: '/etc/u.key' }, tokenFile: '/etc/kube/token' },
    });
  });

  it('prefers data to files', async () => {
    const cluster = { server: 'https://k', 'certificate-authority': 'ca', 'certificate-authority-data': base64(pem('CERTIFICATE')) };
    const user = { 'client-certificate-data': base64(pem('CERTIFICATE')), 'client-key-data': base64(pem('KEY')), token: 't' };
    expect(await load(config(cluster, user))).toEqual({
      server: 'https://k',
      certificateAuthority: { data: pem('CERTIFICATE') },
      identity: { clientCertificate: { data: pem('CERTIFICATE') }, clientKey: { data: pem('KEY') }, token: 't' },
    });
  });

  it('reads a credential plugin and its cluster extension', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      interactiveMode: 'IfAvailable',
      command: './bin/login',
      args: ['-v'],
      env: [{ name: 'A', value: 'b' }],
      installHint: 'get it',
      provideClusterInfo: true,
    };
    const cluster = { server: 'https://k', extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }] };
    expect((await load(config(cluster, { exec }))).identity).toEqual({
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: '/etc/kube/bin/login',
        args: ['-v'],
        env: { A: 'b' },
        installHint: 'get it',
        provideClusterInfo: true,
        clusterExtension: { audience: 'x' },
      },
    });
    const old = { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'login' };
    expect((await load(config({ server: 'https://k' }, { exec: old }))).identity?.exec?.command).toBe('login');
  });

  it('merges the files of KUBECONFIG: the first entry of a name wins, files may be missing', async () => {
    const files = filesOf({
      '/a': JSON.stringify({ clusters: [{ name: 'k', cluster: { server: 'https://a' } }] }),
      '/b/b': config({ server: 'https://b' }, { tokenFile: 'token' }),
    });
    const cluster = await loadKubeconfig({ env: { KUBECONFIG: '/a:/none:/b/b' }, files });
    expect(cluster).toEqual({ server: 'https://a', identity: { tokenFile: '/b/token' } });
  });

  it('reads ~/.kube/config without KUBECONFIG', async () => {
    const files = filesOf({ '/root/.kube/config': config({ server: 'https://home' }) });
    expect((await loadKubeconfig({ env: { HOME: '/root' }, files })).server).toBe('https://home');
    await expect(loadKubeconfig({ env: { HOME: '/x' }, files })).rejects.toMatchObject({
      code: 'InvalidKubeconfig',
      details: { file: '/x/.kube/config' },
    });
  });

  it('accepts another context, and a text', async () => {
    const more = {
      contexts: [
        { name: 'c', context: { cluster: 'k' } },
        { name: 'd', context: { cluster: 'k', namespace: 'n' } },
      ],
    };
    expect(await loadKubeconfig({ text: config({ server: 'http://k:8080' }, {}, more), context: 'd', env: {} })).toEqual({
      server: 'http://k:8080',
      namespace: 'n',
    });
  });

  const server = 'https://k';
  const exec = (more: object) => ({
    exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Never', ...more },
  });
  it.each<[string, string, string]>([
    ['', '', 'is not a kubeconfig'],
    ['a: 1\nb: "hidden', '', 'is not valid YAML: line 2: MISSING_CHAR'],
    ['a: 1\nb: hidden\na: hidden', '', 'is not valid YAML: line 3: DUPLICATE_KEY'],
    ['a: hidden\n---\na: hidden', '', 'is not valid YAML: MULTIPLE_DOCS'],
    [`a: &a hidden\nb:\n${'- *a\n'.repeat(1001)}`, '', 'exceeds a limit: more than the limit of 1000 aliases'],
    [`a: "${'x'.repeat(2 ** 20)}"`, '', 'exceeds a limit: larger than the limit of 1048576 bytes for YAML'],
    ['{"token": "hidden', '', 'is not valid JSON'],
    [config({}), 'clusters[0].cluster.server', 'is missing'],
    [config({ server: 'k:6443' }), 'clusters[0].cluster.server', 'must be an http or https URL'],
    [config({ server: 7 }), 'clusters[0].cluster.server', 'must be a string'],
    [config({ server, 'insecure-skip-tls-verify': 'x' }), 'clusters[0].cluster.insecure-skip-tls-verify', 'must be true or false'],
    [
      config({ server, 'insecure-skip-tls-verify': true, 'certificate-authority': 'x' }),
      'clusters[0].cluster.insecure-skip-tls-verify',
      'must not be true together with a certificate authority',
    ],
    [
      config({ server, 'certificate-authority-data': base64('hidden') }),
      'clusters[0].cluster.certificate-authority-data',
      'must be PEM in base64',
    ],
    [config({ server, 'proxy-url': 'socks5://x' }), 'clusters[0].cluster.proxy-url', 'must be an http or https URL'],
    [config({ server }, { 'client-key': 'x' }), 'users[0].user.client-certificate', 'is required with a client key'],
    [config({ server }, { 'client-certificate': 'x' }), 'users[0].user.client-key', 'is required with a client certificate'],
    [config({ server }, { token: 't', username: 'u' }), 'users[0].user.username', 'must not be set together with a token'],
    [config({ server }, { token: 'hidden\n' }), 'users[0].user.token', 'must not contain a line end'],
    [config({ server }, { token: 'hidden\u0001' }), 'users[0].user.token', 'must only contain characters of an HTTP header'],
    ['\ufffd\ufffdk\0i\0', '', 'is UTF-16, not UTF-8'],
    [config({ server }, { 'auth-provider': { name: 'gcp' } }), 'users[0].user.auth-provider', 'is not supported any more'],
    [config({ server }, { as: 'admin' }), 'users[0].user.as', 'impersonation is not supported'],
    [
      config({ server }, exec({ apiVersion: 'x' })),
      'users[0].user.exec.apiVersion',
      'must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1',
    ],
    [config({ server }, exec({ command: '' })), 'users[0].user.exec.command', 'is missing'],
    [config({ server }, exec({ interactiveMode: undefined })), 'users[0].user.exec.interactiveMode', 'is missing'],
    [
      config({ server }, exec({ interactiveMode: 'Always' })),
      'users[0].user.exec.interactiveMode',
      'must not be Always: interactive plugins are not supported',
    ],
    [config({ server }, exec({ args: [1] })), 'users[0].user.exec.args[0]', 'must be a string'],
    [config({ server }, {}, { users: [{ name: 'x', user: {} }] }), 'contexts[0].context.user', 'user not found: "u"'],
    [config({ server }, {}, { clusters: [] }), 'contexts[0].context.cluster', 'cluster not found: "k"'],
    [config({ server }, {}, { clusters: {} }), 'clusters', 'must be a list'],
    [config({ server }, {}, { clusters: [{ name: 'k' }] }), 'clusters[0].cluster', 'is missing'],
    [config({ server }, {}, { 'current-context': 'z' }), 'current-context', 'context not found: "z"'],
    [config({ server }, {}, { 'current-context': '' }), 'current-context', 'is missing'],
    [config({ server }, {}, { kind: 'Pod' }), 'kind', 'must be Config'],
  ])('refuses %s', async (text, field, problem) => {
    const error = await load(text).catch((error) => error);
    expect(error).toMatchObject({ code: 'InvalidKubeconfig', details: { file: '/etc/kube/config', field } });
    expect(error.message).toContain(`/etc/kube/config: ${field === '' ? '' : `${field}: `}${problem}`);
    expect(error.message).not.toContain('hidden');
  });

  it('uses the proxy of the environment unless the cluster has one', async () => {
    const env = { HTTPS_PROXY: 'proxy:3128' };
    expect((await load(config({ server }), env)).proxyUrl).toBe('http://proxy:3128');
    expect((await load(config({ server, 'proxy-url': 'http://other' }), env)).proxyUrl).toBe('http://other');
  });
});

describe('proxyFor', () => {
  it.each<[string, string, boolean]>([
    ['https://api.example.com', '', true],
    ['https://api.example.com', 'example.com', false],
    ['https://example.com', 'example.com', false],
    ['https://example.com', '.example.com', true],
    ['https://api.example.com', '*.example.com', false],
    ['https://notexample.com', 'example.com', true],
    ['https://api.example.com:6443', 'api.example.com:6443', false],
    ['https://api.example.com:6443', 'api.example.com:443', true],
    ['https://api.example.com', 'x, API.example.com:443', false],
    ['https://10.1.2.3:6443', '10.0.0.0/8', false],
    ['https://11.1.2.3:6443', '10.0.0.0/8', true],
    ['https://10.1.2.3:6443', '10.1.2.3', false],
    ['https://10.1.2.3:6443', '10.0.0.0/99', true],
    ['https://[fd00::1]:6443', 'fd00::/8', false],
    ['https://[fd00::1]:6443', 'fd00::1', false],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', false],
    ['https://api.example', '*', false],
    ['https://localhost:6443', '', false],
    ['https://127.0.0.9:6443', '', false],
    ['https://[::1]:6443', '', false],
  ])('of %s with NO_PROXY=%s: %s', (server, NO_PROXY, proxied) => {
    expect(proxyFor(new URL(server), { https_proxy: 'http://p:1', NO_PROXY }) !== undefined).toBe(proxied);
  });

  it('depends on the scheme', () => {
    expect(proxyFor(new URL('http://k'), { HTTPS_PROXY: 'http://s' })).toBeUndefined();
    expect(proxyFor(new URL('http://k'), { HTTP_PROXY: 'http://h' })).toBe('http://h');
  });
});

describe('inClusterConfig', () => {
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
  const files = filesOf({ [`${folder}/token`]: 't', [`${folder}/ca.crt`]: 'ca', [`${folder}/namespace`]: 'team\n' });
  const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

  it('uses the service account of the pod', async () => {
    expect(await inClusterConfig({ env, files })).toEqual({
      server: 'https://10.96.0.1:443',
      certificateAuthority: { file: `${folder}/ca.crt` },
      namespace: 'team',
      identity: { tokenFile: `${folder}/token` },
    });
    expect((await inClusterConfig({ env: { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' }, files })).server).toBe('https://[fd00::1]:443');
  });

  it('names the missing file or variable', async () => {
    await expect(inClusterConfig({ env: {}, files })).rejects.toMatchObject({
      code: 'NotInCluster',
      details: { variable: 'KUBERNETES_SERVICE_HOST' },
    });
    await expect(inClusterConfig({ env, files: filesOf({}) })).rejects.toMatchObject({
      code: 'NotInCluster',
      details: { file: `${folder}/token` },
    });
  });
});
