import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { ConfiguredServer } from '@nodeagent/core/kubelet-configuration';
import { badUsage, bool, type Flag, type FlagValues, oneOf, setting, text } from '../flags.js';
import type { SettingName } from './setting-names.js';

/** Flags of the node's HTTP API, with the kubelet's names. */
export const serverFlags: readonly Flag[] = [
  {
    name: 'port',
    value: 'PORT',
    defaultText: '10250 with --kubeconfig, else 0',
    help: "port of the node's HTTP API (HTTPS): logs, exec, port-forward, stats. 0 disables it.",
  },
  {
    name: 'ui',
    defaultText: 'off',
    help: 'serve the node page for browsers on --port below /ui/, for clients that are allowed to read all resources of --port.',
  },
  {
    name: 'enable-heap-snapshots',
    defaultText: 'off',
    help: "serve /debug/pprof/heapsnapshot on --port: the agent's memory, including the private key, tokens and Secrets. A snapshot blocks the agent for seconds.",
  },
  { name: 'address', value: 'IP', defaultText: 'all addresses', help: 'address on which --port and --read-only-port listen.' },
  {
    name: 'read-only-port',
    value: 'PORT',
    default: '0',
    help: 'port of the unauthenticated read-only HTTP API: pods and stats. 0 disables it.',
  },
  {
    name: 'healthz-port',
    value: 'PORT',
    defaultText: '10248 with --port, else 0',
    help: 'port of /healthz on --healthz-bind-address. 0 disables it.',
  },
  { name: 'healthz-bind-address', value: 'IP', default: '127.0.0.1', help: 'address of --healthz-port.' },
  {
    name: 'tls-cert-file',
    value: 'FILE',
    defaultText: 'a self-signed one in --cert-dir',
    help: 'certificate of the HTTP API with its chain, PEM; reloaded when it changes.',
  },
  { name: 'tls-private-key-file', value: 'FILE', defaultText: 'as --tls-cert-file', help: 'private key of the certificate, PEM.' },
  {
    name: 'client-ca-file',
    value: 'FILE',
    defaultText: 'no client certificates',
    help: "CA of the client certificates that --port accepts, including the API server's; often the cluster's CA.",
  },
  {
    name: 'anonymous-auth',
    value: 'BOOL',
    default: 'false',
    help: 'whether --port accepts requests without credentials as system:anonymous.',
  },
  {
    name: 'authentication-token-webhook',
    value: 'BOOL',
    defaultText: 'true with --kubeconfig',
    help: 'whether the API server authenticates bearer tokens (TokenReview).',
  },
  {
    name: 'authorization-mode',
    value: 'MODE',
    defaultText: 'Webhook with --kubeconfig, else AlwaysAllow',
    help: '"Webhook": the API server authorizes requests (SubjectAccessReview); "AlwaysAllow": every authenticated client is authorized.',
  },
];

/** Listeners, authentication and authorization of the node's HTTP API. */
export interface ServerRunOptions {
  /** Absent: no HTTPS. */
  port?: number;
  address?: string;
  /** Whether the node page is served on that port. Default false. */
  ui?: boolean;
  /** Whether `/debug/pprof/heapsnapshot` is served. Default false. */
  heapSnapshots?: boolean;
  readOnlyPort?: number;
  healthzPort?: number;
  healthzAddress: string;
  /** Absent: a self-signed certificate in the directory of certificates. */
  tlsFiles?: { certFile: string; keyFile: string };
  clientCAFile?: string;
  anonymousAuth: boolean;
  /** Whether the API server authenticates tokens and authorizes requests. */
  tokenWebhook: boolean;
  authorizationMode: 'AlwaysAllow' | 'Webhook';
}

/** Reads the server flags. Throws `BAD_USAGE` naming the flag. */
export function readServerConfiguration(values: FlagValues): ConfiguredServer {
  const address = setting(values, 'address', 'address', text);
  return {
    https: { ...setting(values, 'port', 'port', port), ...address },
    readOnly: { ...setting(values, 'read-only-port', 'port', port), ...address },
    healthz: { ...setting(values, 'healthz-port', 'port', port), ...setting(values, 'healthz-bind-address', 'address', text) },
    tls: {
      ...setting(values, 'tls-cert-file', 'certFile', file),
      ...setting(values, 'tls-private-key-file', 'keyFile', file),
      ...setting(values, 'client-ca-file', 'clientCAFile', file),
    },
    authentication: {
      ...setting(values, 'anonymous-auth', 'anonymous', bool),
      ...setting(values, 'authentication-token-webhook', 'webhook', bool),
    },
    authorization: { ...setting(values, 'authorization-mode', 'mode', (...flag) => oneOf(...flag, ['AlwaysAllow', 'Webhook'] as const)) },
  };
}

/**
 * The settings of a configuration file for an agent without a cluster: the port must be set by a flag, and no API server reviews clients.
 */
export function withoutCluster({ https, authentication, authorization, ...server }: ConfiguredServer): ConfiguredServer {
  const { port: _port, ...address } = https ?? {};
  const { webhook: _webhook, ...authenticated } = authentication ?? {};
  const { mode: _mode, ...authorized } = authorization ?? {};
  return { ...server, https: address, authentication: authenticated, authorization: authorized };
}

/** Input of {@link serverRunOptions}. */
export interface ServerInput {
  /** Flags over configuration files over defaults. */
  server: ConfiguredServer;
  values: FlagValues;
  inCluster: boolean;
  name: SettingName;
}

/** The checked listeners of the HTTP API; undefined if all are disabled. Throws `BAD_USAGE` naming the flag or the field. */
export function serverRunOptions({ server, values, inCluster, name }: ServerInput): ServerRunOptions | undefined {
  const { https = {}, readOnly = {}, healthz = {}, tls = {}, authentication = {}, authorization = {} } = server;
  const { port = inCluster ? 10_250 : 0 } = https;
  const { port: readOnlyPort = 0 } = readOnly;
  const { port: healthzPort = port === 0 ? 0 : 10_248 } = healthz;
  const ui = values.ui === true;
  if (ui && port === 0) throw badUsage('--ui: requires --port');
  const heapSnapshots = values['enable-heap-snapshots'] === true;
  if (heapSnapshots && port === 0) throw badUsage('--enable-heap-snapshots: requires --port');
  if (port === 0 && readOnlyPort === 0 && healthzPort === 0) return undefined;
  const { certFile, keyFile, clientCAFile } = tls;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const names = [name('tls-cert-file', 'tlsCertFile'), name('tls-private-key-file', 'tlsPrivateKeyFile')];
    throw badUsage(`${names.join(' and ')}: each requires the other`);
  }
  const { anonymous = false, webhook = inCluster } = authentication;
  const { mode = inCluster ? 'Webhook' : 'AlwaysAllow' } = authorization;
  if (!inCluster && webhook) throw badUsage('--authentication-token-webhook: requires --kubeconfig');
  if (port !== 0 && !inCluster && mode === 'Webhook') throw badUsage('--authorization-mode: Webhook requires --kubeconfig');
  if (port !== 0 && clientCAFile === undefined && !anonymous && !webhook) {
    throw badUsage(
      '--port: no client could authenticate; set --client-ca-file to accept client certificates, or --anonymous-auth=true to accept all clients',
    );
  }
  const { address } = https;
  if (address !== undefined) checkAddress(address, name('address', 'address'));
  const { address: healthzAddress = '127.0.0.1' } = healthz;
  checkAddress(healthzAddress, name('healthz-bind-address', 'healthzBindAddress'));
  return {
    ...(port !== 0 && { port }),
    ...(ui && { ui }),
    ...(heapSnapshots && { heapSnapshots }),
    ...(address !== undefined && { address }),
    ...(readOnlyPort !== 0 && { readOnlyPort }),
    ...(healthzPort !== 0 && { healthzPort }),
    healthzAddress,
    ...(certFile !== undefined && keyFile !== undefined && { tlsFiles: { certFile, keyFile } }),
    ...(clientCAFile !== undefined && { clientCAFile }),
    anonymousAuth: anonymous,
    tokenWebhook: webhook,
    authorizationMode: mode,
  };
}

function port(values: FlagValues, name: string): number {
  const number = text(values, name);
  if (!/^[0-9]{1,5}$/.test(number) || Number(number) > 65_535) throw badUsage(`--${name}: "${number}" is not a port`);
  return Number(number);
}

const file = (values: FlagValues, name: string): string => resolve(text(values, name));

function checkAddress(address: string, name: string): void {
  if (isIP(address) === 0) throw badUsage(`${name}: "${address}" is not an IP address`);
}
