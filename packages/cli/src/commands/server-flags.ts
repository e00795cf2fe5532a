import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { badUsage, type Flag, type FlagValues, oneOf, text } from '../flags.js';

/** The flags of the node's HTTP API, with the kubelet's names. */
export const serverFlags: readonly Flag[] = [
  {
    name: 'port',
    value: 'PORT',
    defaultText: '10250 with --kubeconfig, else 0',
    help: "port of the node's HTTP API (HTTPS): logs, exec, port-forward, figures. 0: none.",
  },
  {
    name: 'ui',
    defaultText: 'off',
    help: "the node's page for the browser on --port, below /ui/, for those who may read everything there.",
  },
  {
    name: 'enable-heap-snapshots',
    defaultText: 'off',
    help: "serve the agent's whole memory on --port, /debug/pprof/heapsnapshot: private key, tokens and Secrets are in it. Stops the agent for seconds.",
  },
  { name: 'address', value: 'IP', defaultText: 'all addresses', help: 'address on which --port and --read-only-port listen.' },
  { name: 'read-only-port', value: 'PORT', default: '0', help: 'port on which everybody may read pods and figures over HTTP. 0: none.' },
  {
    name: 'healthz-port',
    value: 'PORT',
    defaultText: '10248 with --port, else 0',
    help: 'port of /healthz on --healthz-bind-address. 0: none.',
  },
  { name: 'healthz-bind-address', value: 'IP', default: '127.0.0.1', help: 'address of --healthz-port.' },
  {
    name: 'tls-cert-file',
    value: 'FILE',
    defaultText: 'a self-signed one in --cert-dir',
    help: 'certificate of the HTTP API with its chain, PEM; looked at again when it changes.',
  },
  { name: 'tls-private-key-file', value: 'FILE', defaultText: 'as --tls-cert-file', help: 'its private key, PEM.' },
  { name: 'cert-dir', value: 'DIR', defaultText: 'ROOT-DIR/pki', help: 'folder of the self-signed certificate.' },
  {
    name: 'client-ca-file',
    value: 'FILE',
    defaultText: 'no client certificates',
    help: "CA of the certificates that clients of --port may show, the API server among them; often the cluster's own.",
  },
  { name: 'anonymous-auth', value: 'BOOL', default: 'false', help: 'whether clients of --port that show nothing are system:anonymous.' },
  {
    name: 'authentication-token-webhook',
    value: 'BOOL',
    defaultText: 'true with --kubeconfig',
    help: 'whether the API server is asked whose token a client shows.',
  },
  {
    name: 'authorization-mode',
    value: 'MODE',
    defaultText: 'Webhook with --kubeconfig, else AlwaysAllow',
    help: 'whether the API server is asked what a client may do ("Webhook"), or all who come in may do everything ("AlwaysAllow").',
  },
];

/** Flags that a kubelet's configuration file fills in only where there is a cluster: without one they have to be given. */
export const filledInCluster: readonly string[] = ['port', 'authentication-token-webhook', 'authorization-mode'];

/** Where the node's HTTP API listens, and to whom it answers. */
export interface ServerRunOptions {
  /** Absent: no HTTPS. */
  port?: number;
  address?: string;
  /** Whether the node's page is on that port. Default false. */
  ui?: boolean;
  /** Whether `/debug/pprof/heapsnapshot` is served. Default false. */
  heapSnapshots?: boolean;
  readOnlyPort?: number;
  healthzPort?: number;
  healthzAddress: string;
  /** Absent: a self-signed certificate in `certDir`. */
  tlsFiles?: { certFile: string; keyFile: string };
  certDir: string;
  clientCAFile?: string;
  anonymousAuth: boolean;
  /** Whether the API server is asked about tokens, and about what clients may do. */
  tokenWebhook: boolean;
  authorizationMode: 'AlwaysAllow' | 'Webhook';
}

/** Reads and checks the flags; undefined if nothing is to be served. Throws `BAD_USAGE` naming the flag. */
export function readServerOptions(values: FlagValues, rootDir: string, inCluster: boolean): ServerRunOptions | undefined {
  const port = portOf(values, 'port', inCluster ? 10_250 : 0);
  const readOnlyPort = portOf(values, 'read-only-port', 0);
  const healthzPort = portOf(values, 'healthz-port', port === 0 ? 0 : 10_248);
  const ui = values.ui === true;
  if (ui && port === 0) throw badUsage('--ui: needs --port');
  const heapSnapshots = values['enable-heap-snapshots'] === true;
  if (heapSnapshots && port === 0) throw badUsage('--enable-heap-snapshots: needs --port');
  if (port === 0 && readOnlyPort === 0 && healthzPort === 0) return undefined;
  const certFile = file(values, 'tls-cert-file');
  const keyFile = file(values, 'tls-private-key-file');
  if ((certFile === undefined) !== (keyFile === undefined))
    throw badUsage('--tls-cert-file and --tls-private-key-file: each needs the other');
  const clientCAFile = file(values, 'client-ca-file');
  const anonymousAuth = bool(values, 'anonymous-auth', false);
  const tokenWebhook = bool(values, 'authentication-token-webhook', inCluster);
  const authorizationMode =
    values['authorization-mode'] === undefined
      ? inCluster
        ? 'Webhook'
        : 'AlwaysAllow'
      : oneOf(values, 'authorization-mode', ['AlwaysAllow', 'Webhook'] as const);
  if (!inCluster && tokenWebhook) throw badUsage('--authentication-token-webhook: needs --kubeconfig');
  if (port !== 0 && !inCluster && authorizationMode === 'Webhook') throw badUsage('--authorization-mode: Webhook needs --kubeconfig');
  if (port !== 0 && clientCAFile === undefined && !anonymousAuth && !tokenWebhook) {
    throw badUsage('--port: nobody could come in; --client-ca-file says whose certificates count, --anonymous-auth lets everybody in');
  }
  const address = ip(values, 'address');
  return {
    ...(port !== 0 && { port }),
    ...(ui && { ui }),
    ...(heapSnapshots && { heapSnapshots }),
    ...(address !== undefined && { address }),
    ...(readOnlyPort !== 0 && { readOnlyPort }),
    ...(healthzPort !== 0 && { healthzPort }),
    healthzAddress: ip(values, 'healthz-bind-address') ?? '127.0.0.1',
    ...(certFile !== undefined && keyFile !== undefined && { tlsFiles: { certFile, keyFile } }),
    certDir: file(values, 'cert-dir') ?? join(rootDir, 'pki'),
    ...(clientCAFile !== undefined && { clientCAFile }),
    anonymousAuth,
    tokenWebhook,
    authorizationMode,
  };
}

function portOf(values: FlagValues, name: string, fallback: number): number {
  if (values[name] === undefined) return fallback;
  const port = text(values, name);
  if (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65_535) throw badUsage(`--${name}: "${port}" is not a port`);
  return Number(port);
}

const file = (values: FlagValues, name: string) => (values[name] === undefined ? undefined : resolve(text(values, name)));

const bool = (values: FlagValues, name: string, fallback: boolean) =>
  values[name] === undefined ? fallback : oneOf(values, name, ['true', 'false']) === 'true';

function ip(values: FlagValues, name: string): string | undefined {
  if (values[name] === undefined) return undefined;
  const address = text(values, name);
  if (isIP(address) === 0) throw badUsage(`--${name}: "${address}" is not an IP address`);
  return address;
}
