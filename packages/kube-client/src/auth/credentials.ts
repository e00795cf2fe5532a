import { type Clock, invalidOptionText, type Logger } from '@nodeagent/api';
import { encodeBase64, encodeUtf8 } from '@nodeagent/api/helpers';
import type { ClientIdentity, ClusterConfig, KubeconfigFiles, Pem } from '../config/cluster-config.js';
import type { ClientTls } from '../transport/transport.js';
import { createExecPlugin, type ExecCredential } from './exec-plugin.js';
import { createRefreshedFile, type RefreshedFile } from './refreshed-file.js';
import type { RunProgram } from './run-program.js';

/** Credentials of a request. The same object until the credentials change. */
export interface ClientCredentials {
  headers: Readonly<Record<string, string>>;
  tls: ClientTls;
}

/** A certificate of the client with its chain, and the private key, in PEM format. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The source of a client's credentials. */
export interface ClientCredentialSource {
  /** The current credentials. Rejects with `CredentialFile` or `ExecPlugin`. */
  get(): Promise<ClientCredentials>;
  /** Call it when the server returned 401: the next `get` reads the files and runs the plugin again. */
  rejected(credentials: ClientCredentials): void;
}

export interface CredentialSourceOptions {
  cluster: ClusterConfig;
  /** Replaces the identity of the cluster. */
  clientCertificate: (() => ClientCertificate | undefined) | undefined;
  files: KubeconfigFiles | undefined;
  run: RunProgram | undefined;
  clock: Clock;
  logger: Logger;
}

export function createCredentialSource(options: CredentialSourceOptions): ClientCredentialSource {
  const { cluster, clientCertificate, files, run, clock, logger } = options;
  const { certificateAuthority } = cluster;
  const identity = clientCertificate === undefined ? (cluster.identity ?? {}) : {};
  const opened = new Map<string, RefreshedFile>();
  const refreshed = (path: string, problemOf: (text: string) => string | undefined): RefreshedFile => {
    if (files === undefined) throw missingPort('files', `a reader of ${path}`);
    const file = opened.get(path) ?? createRefreshedFile(path, { files, clock, logger }, problemOf);
    opened.set(path, file);
    return file;
  };
  const pem = (source: Pem | undefined) => {
    if (source === undefined) return async () => undefined;
    return 'file' in source ? refreshed(source.file, pemProblem).read : async () => source.data;
  };
  const ca = pem(certificateAuthority);
  const cert = pem(identity.clientCertificate);
  const key = pem(identity.clientKey);
  const token = identity.tokenFile === undefined ? undefined : refreshed(identity.tokenFile, tokenProblem);
  const plugin = identity.exec && createExecPlugin(identity.exec, { cluster: { ...cluster, caData: ca }, run: required(run), clock });
  let current: ClientCredentials | undefined;

  return {
    async get() {
      const fromFile = token === undefined ? undefined : (await token.read()).trim();
      const issued: ExecCredential | undefined = clientCertificate?.() ?? (await plugin?.get());
      const next = {
        headers: authorization(identity, fromFile, issued),
        tls: material({ ca: await ca(), cert: issued?.cert ?? (await cert()), key: issued?.key ?? (await key()) }),
      };
      if (current !== undefined && same(current.headers, next.headers) && same(current.tls, next.tls)) return current;
      current = { headers: next.headers, tls: current !== undefined && same(current.tls, next.tls) ? current.tls : next.tls };
      return current;
    },
    rejected(credentials) {
      if (credentials !== current) return;
      for (const file of opened.values()) file.expire();
      plugin?.expire();
    },
  };
}

function required(run: RunProgram | undefined): RunProgram {
  if (run === undefined) throw missingPort('runProgram', 'a function that runs the credential plugin of the cluster');
  return run;
}

function missingPort(option: string, expected: string): Error {
  return invalidOptionText(option, `${option} must be ${expected}; connectKubeClient of @nodeagent/kube-client/node has one`);
}

const pemProblem = (text: string) => (text.includes('-----BEGIN ') ? undefined : 'is not PEM');

/** A token must be a valid header value. */
const tokenProblem = (text: string) => (/^[\x21-\x7e]+$/.test(text.trim()) ? undefined : 'is not a token');

function authorization(identity: ClientIdentity, fromFile: string | undefined, issued: ExecCredential | undefined): Record<string, string> {
  const { basic } = identity;
  const token = fromFile || identity.token || issued?.token;
  if (token !== undefined) return { authorization: `Bearer ${token}` };
  if (basic === undefined) return {};
  return { authorization: `Basic ${encodeBase64(encodeUtf8(`${basic.username}:${basic.password}`))}` };
}

function material(parts: { ca: string | undefined; cert: string | undefined; key: string | undefined }): ClientTls {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

function same(a: object, b: object): boolean {
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([name, value]) => right.get(name) === value);
}
