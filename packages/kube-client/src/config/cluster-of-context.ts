import { tokenProblem } from '../auth/token-problem.js';
import type { ClientIdentity, ClusterConfig, ExecPluginConfig } from './cluster-config.js';
import type { ConfigReader } from './config-reader.js';
import type { Kubeconfig } from './kubeconfig-entries.js';
import { kubeconfigError } from './kubeconfig-error.js';
import { type Environment, proxyFor } from './proxy.js';

/** The validated cluster and user of a context. Errors name `file` if the context is missing. */
export function clusterOfContext(
  config: Kubeconfig,
  { file, context: name = config.currentContext, env }: { file: string; context?: string | undefined; env: Environment },
): ClusterConfig {
  if (name === undefined) throw kubeconfigError(file, 'current-context', 'is missing');
  const context = config.contexts.get(name);
  if (context === undefined) throw kubeconfigError(file, 'current-context', `context not found: ${JSON.stringify(name)}`);
  const clusterName = context.requiredText('cluster');
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined) throw context.fail('cluster', `cluster not found: ${JSON.stringify(clusterName)}`);
  const userName = context.text('user');
  const user = userName === undefined ? undefined : config.users.get(userName);
  if (userName !== undefined && user === undefined) throw context.fail('user', `user not found: ${JSON.stringify(userName)}`);
  const namespace = context.text('namespace');
  return {
    ...readCluster(cluster, env),
    ...(namespace === undefined ? {} : { namespace }),
    ...(user === undefined ? {} : { identity: readUser(user, cluster) }),
  };
}

function readCluster(cluster: ConfigReader, env: Environment): ClusterConfig {
  const server = cluster.requiredText('server');
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol)) throw cluster.fail('server', 'must be an http or https URL');
  const certificateAuthority = cluster.pem('certificate-authority');
  const insecure = cluster.flag('insecure-skip-tls-verify');
  if (insecure && certificateAuthority !== undefined) {
    throw cluster.fail('insecure-skip-tls-verify', 'must not be true together with a certificate authority');
  }
  const proxyUrl = cluster.text('proxy-url') ?? proxyFor(new URL(server), env);
  if (proxyUrl !== undefined && !(URL.canParse(proxyUrl) && /^https?:$/.test(new URL(proxyUrl).protocol))) {
    throw cluster.fail('proxy-url', 'must be an http or https URL', 'socks5 proxies are not supported; remove it to use HTTPS_PROXY');
  }
  const tlsServerName = cluster.text('tls-server-name');
  return {
    server,
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(cluster.flag('disable-compression') ? { disableCompression: true } : {}),
  };
}

function readUser(user: ConfigReader, cluster: ConfigReader): ClientIdentity {
  for (const name of ['as', 'as-uid', 'as-groups', 'as-user-extra']) {
    if (user.has(name)) throw user.fail(name, 'impersonation is not supported');
  }
  if (user.has('auth-provider')) throw user.fail('auth-provider', 'is not supported any more', 'use an exec credential plugin');
  const clientCertificate = user.pem('client-certificate');
  const clientKey = user.pem('client-key');
  if (clientCertificate !== undefined && clientKey === undefined) throw user.fail('client-key', 'is required with a client certificate');
  if (clientKey !== undefined && clientCertificate === undefined) throw user.fail('client-certificate', 'is required with a client key');
  const [token, tokenFile, username] = [user.text('token'), user.path('tokenFile'), user.text('username')];
  const problem = token === undefined ? undefined : tokenProblem(token);
  if (problem !== undefined) throw user.fail('token', problem);
  if (username !== undefined && (token !== undefined || tokenFile !== undefined)) {
    throw user.fail('username', 'must not be set together with a token');
  }
  const exec = readExec(user, cluster);
  return {
    ...(clientCertificate === undefined ? {} : { clientCertificate }),
    ...(clientKey === undefined ? {} : { clientKey }),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(username === undefined ? {} : { basic: { username, password: user.text('password') ?? '' } }),
    ...(exec === undefined ? {} : { exec }),
  };
}

const clusterInfoExtension = 'client.authentication.k8s.io/exec';

function readExec(user: ConfigReader, cluster: ConfigReader): ExecPluginConfig | undefined {
  const exec = user.object('exec');
  if (exec === undefined) return undefined;
  const apiVersion = exec.requiredText('apiVersion');
  if (apiVersion !== 'client.authentication.k8s.io/v1' && apiVersion !== 'client.authentication.k8s.io/v1beta1') {
    throw exec.fail('apiVersion', 'must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1');
  }
  const mode = apiVersion.endsWith('/v1') ? exec.requiredText('interactiveMode') : (exec.text('interactiveMode') ?? 'IfAvailable');
  if (!['Never', 'IfAvailable', 'Always'].includes(mode)) throw exec.fail('interactiveMode', 'must be Never, IfAvailable or Always');
  if (mode === 'Always') throw exec.fail('interactiveMode', 'must not be Always: interactive plugins are not supported');
  const command = exec.requiredText('command');
  const env = exec.list('env').map((entry) => [entry.requiredText('name'), entry.text('value') ?? '']);
  const installHint = exec.text('installHint');
  const extension = cluster.list('extensions').find((entry) => entry.text('name') === clusterInfoExtension);
  return {
    apiVersion,
    command: /[/\\]/.test(command) ? (exec.path('command') ?? command) : command,
    args: exec.texts('args'),
    env: Object.fromEntries(env),
    ...(installHint === undefined ? {} : { installHint }),
    provideClusterInfo: exec.flag('provideClusterInfo'),
    ...(extension === undefined ? {} : { clusterExtension: extension.value('extension') }),
  };
}
