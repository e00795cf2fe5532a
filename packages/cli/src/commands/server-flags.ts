import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { ConfiguredServer } from '@nodeagent/core/kubelet-configuration';
import { badUsage, bool, type Flag, type FlagValues, text } from '../flags.js';
import { type SettingFlag, settingFlag } from './setting-flag.js';
import type { SettingName } from './setting-names.js';

const ipAddress = { value: 'IP' };

/** Flags of the node's HTTP API, with the kubelet's names. */
export const serverFlags: readonly Flag[] = [
  settingFlag('port', 'server.https.port', "port of the node's HTTP API (HTTPS): logs, exec, port-forward, stats. 0 disables it.", {
    ...portFlag(),
    defaultText: '10250 with --kubeconfig, else 0',
  }),
  {
    name: 'ui',
    defaultText: 'off',
    help: 'serve the node page for browsers on --port below /ui/, for clients that are allowed to read all resources of --port.',
  },
  settingFlag(
    'enable-heap-snapshots',
    'server.settings.enableHeapSnapshots',
    "serve /debug/pprof/heapsnapshot on --port: the agent's memory, including the private key, tokens and Secrets. A snapshot blocks the agent for seconds.",
    { defaultText: 'off' },
  ),
  settingFlag('address', ['server.https.address', 'server.readOnly.address'], 'address on which --port and --read-only-port listen.', {
    ...ipAddress,
    defaultText: 'all addresses',
  }),
  settingFlag(
    'read-only-port',
    'server.readOnly.port',
    'port of the unauthenticated read-only HTTP API: pods and stats. 0 disables it.',
    portFlag(),
  ),
  settingFlag('healthz-port', 'server.healthz.port', 'port of /healthz on --healthz-bind-address. 0 disables it.', {
    ...portFlag(),
    defaultText: '10248 with --port, else 0',
  }),
  settingFlag('healthz-bind-address', 'server.healthz.address', 'address of --healthz-port.', ipAddress),
  settingFlag('tls-cert-file', 'server.https.tls.certFile', 'certificate of the HTTP API with its chain, PEM; reloaded when it changes.', {
    ...fileFlag(),
    defaultText: 'a self-signed one in --cert-dir, or a requested one with serverTLSBootstrap of the configuration',
  }),
  settingFlag('tls-private-key-file', 'server.https.tls.keyFile', 'private key of the certificate, PEM.', {
    ...fileFlag(),
    defaultText: 'as --tls-cert-file',
  }),
  {
    name: 'cert-dir',
    value: 'DIR',
    defaultText: 'ROOT-DIR/pki',
    help: 'directory of the certificates that the agent creates or requests.',
  },
  settingFlag(
    'client-ca-file',
    'server.https.tls.clientCAFile',
    "CA of the client certificates that --port accepts, including the API server's; often the cluster's CA.",
    { ...fileFlag(), defaultText: 'no client certificates' },
  ),
  settingFlag(
    'anonymous-auth',
    'server.https.authentication.anonymous',
    'whether --port accepts requests without credentials as system:anonymous.',
    { value: 'BOOL' },
  ),
  settingFlag(
    'authentication-token-webhook',
    'server.https.authentication.webhook',
    'whether the API server authenticates bearer tokens (TokenReview).',
    { value: 'BOOL', defaultText: 'true with --kubeconfig', read: bool },
  ),
  settingFlag(
    'authorization-mode',
    'server.https.authorization.mode',
    '"Webhook": the API server authorizes requests (SubjectAccessReview); "AlwaysAllow": every authenticated client is authorized.',
    { value: 'MODE', defaultText: 'Webhook with --kubeconfig, else AlwaysAllow' },
  ),
];

/** The flag of a port. */
function portFlag(): Pick<SettingFlag, 'value' | 'read'> {
  return { value: 'PORT', read: port };
}

/** The flag of a file; relative to the working directory. */
function fileFlag(): Pick<SettingFlag, 'value' | 'read'> {
  return { value: 'FILE', read: (values, name) => resolve(text(values, name)) };
}

/**
 * The settings of a configuration file for an agent without a cluster: the port must be set by a flag, and no API server reviews clients.
 */
export function withoutCluster({ https = {}, ...server }: ConfiguredServer): ConfiguredServer {
  const { port: _port, authentication: { webhook: _webhook, ...authentication } = {}, authorization = {}, ...others } = https;
  const { mode: _mode, ...authorized } = authorization;
  return { ...server, https: { ...others, authentication, authorization: authorized } };
}

/** Input of {@link completeServer}. */
export interface ServerInput {
  /** Flags over configuration files over defaults. */
  server: ConfiguredServer;
  values: FlagValues;
  inCluster: boolean;
  name: SettingName;
}

/**
 * The server with the ports, authentication and authorization that it has in or without a cluster, without disabled listeners; undefined if
 * all are disabled. Throws `BAD_USAGE` naming the flag or the field.
 */
export function completeServer({ server, values, inCluster, name }: ServerInput): ConfiguredServer | undefined {
  const { https = {}, readOnly = {}, healthz = {}, settings = {} } = server;
  const { port = inCluster ? 10_250 : 0, address } = https;
  const { port: healthzPort = port === 0 ? 0 : 10_248, address: healthzAddress = '127.0.0.1' } = healthz;
  if (values.ui === true && port === 0) throw badUsage('--ui: requires --port');
  if (settings.enableHeapSnapshots && port === 0) throw badUsage('--enable-heap-snapshots: requires --port');
  if (port === 0 && !readOnly.port && healthzPort === 0) return undefined;
  const access = completeAccess({ server, inCluster, name });
  if (address !== undefined) checkAddress(address, name('address', 'address'));
  checkAddress(healthzAddress, name('healthz-bind-address', 'healthzBindAddress'));
  return {
    ...(port !== 0 && { https: { ...https, ...access, port } }),
    ...(readOnly.port && { readOnly }),
    ...(healthzPort !== 0 && { healthz: { port: healthzPort, address: healthzAddress } }),
    settings,
  };
}

/** Who may use the HTTPS port. */
function completeAccess({ server: { https = {} }, inCluster, name }: Omit<ServerInput, 'values'>) {
  const { port = inCluster ? 10_250 : 0, tls = {}, authentication = {}, authorization = {} } = https;
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    const names = [name('tls-cert-file', 'tlsCertFile'), name('tls-private-key-file', 'tlsPrivateKeyFile')];
    throw badUsage(`${names.join(' and ')}: each requires the other`);
  }
  const { anonymous = false, webhook = inCluster } = authentication;
  const { mode = inCluster ? 'Webhook' : 'AlwaysAllow' } = authorization;
  if (!inCluster && webhook) throw badUsage('--authentication-token-webhook: requires --kubeconfig');
  if (port !== 0 && !inCluster && mode === 'Webhook') throw badUsage('--authorization-mode: Webhook requires --kubeconfig');
  if (port !== 0 && tls.clientCAFile === undefined && !anonymous && !webhook) {
    throw badUsage(
      '--port: no client could authenticate; set --client-ca-file to accept client certificates, or --anonymous-auth=true to accept all clients',
    );
  }
  return { authentication: { ...authentication, anonymous, webhook }, authorization: { ...authorization, mode } };
}

function port(values: FlagValues, name: string): number {
  const number = text(values, name);
  if (!/^[0-9]{1,5}$/.test(number) || Number(number) > 65_535) throw badUsage(`--${name}: "${number}" is not a port`);
  return Number(number);
}

function checkAddress(address: string, name: string): void {
  if (isIP(address) === 0) throw badUsage(`${name}: "${address}" is not an IP address`);
}
