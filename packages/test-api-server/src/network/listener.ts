import type { CertificateSubject } from '@nodeagent/x509';
import type { RequestUser } from '../access/user.js';
import type { KeyedCertificate, TestAuthority } from './authority.js';
import { kubeconfigText } from './kubeconfig.js';
import type { HttpAddress, HttpHandlers, HttpServer, ServerNetwork } from './server-network.js';

/** Address and certificate of a server. */
export interface ListenOptions {
  /** Default: 127.0.0.1. */
  host?: string;
  /** Default: 0, any free port. */
  port?: number;
  /** Whether to serve HTTPS, with a certificate of the server's CA. Default false. */
  tls?: boolean;
  /** Names and IPv4 addresses of the certificate, in addition to `host` and localhost. */
  hosts?: readonly string[];
  /** The server's certificate, after which its chain may follow. Default: one of the server's CA. */
  certificate?: KeyedCertificate;
  /** The CAs of client certificates, PEM. Default: the server's CA. */
  clientCa?: string;
}

/** The user of a kubeconfig. Default: no credentials, which is an administrator. */
export interface KubeconfigOptions {
  /** A bearer token. */
  token?: string;
  /** A user, for whom the server issues a client certificate; needs TLS. */
  user?: { username: string; groups?: readonly string[] };
  namespace?: string;
}

interface Listening {
  server: HttpServer;
  url: string;
  /** The CA of the server's certificate, PEM, or the certificate itself; absent without TLS. */
  ca?: string;
}

/** The server on the network, once it listens. */
export class Listener {
  readonly #network: ServerNetwork;
  readonly #handlers: HttpHandlers;
  readonly #authority: () => TestAuthority;
  #http: Promise<Listening> | undefined;
  #listening: Listening | undefined;

  constructor(network: ServerNetwork, handlers: HttpHandlers, authority: () => TestAuthority) {
    this.#network = network;
    this.#handlers = handlers;
    this.#authority = authority;
  }

  /** Resolves to the URL; a second call returns the same one. After a rejection it can be called again. */
  async listen(options: ListenOptions): Promise<string> {
    this.#http ??= this.#serve(options).catch((error: unknown) => {
      this.#http = undefined;
      throw error;
    });
    return (await this.#http).url;
  }

  async quiet(): Promise<void> {
    await this.#listening?.server.quiet();
  }

  kubeconfig({ token, user, namespace }: KubeconfigOptions): string {
    if (this.#listening === undefined) throw new Error('the server does not listen yet: call listen() before kubeconfig()');
    const { url, ca } = this.#listening;
    const credentials = token !== undefined ? { token } : user && this.#authority().issueClient(subjectOf(user));
    return kubeconfigText({
      server: url,
      ...(ca && { ca }),
      credentials,
      ...(namespace && { namespace }),
    });
  }

  async close(): Promise<void> {
    const running = this.#http;
    this.#http = undefined;
    this.#listening = undefined;
    if (running) await (await running).server.close();
  }

  async #serve(options: ListenOptions): Promise<Listening> {
    const { host = '127.0.0.1', port = 0, tls = false } = options;
    const server = await this.#network.serve(this.#handlers, { host, port, tls: tls ? this.#certificates(host, options) : undefined });
    const url = `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
    this.#listening = { server, url, ...(tls && { ca: options.certificate?.cert ?? this.#authority().cert }) };
    return this.#listening;
  }

  #certificates(host: string, { hosts = [], certificate, clientCa }: ListenOptions): NonNullable<HttpAddress['tls']> {
    const names = [...new Set([host, '127.0.0.1', 'localhost', ...hosts])];
    return { ...(certificate ?? this.#authority().issueServer(names)), ca: clientCa ?? this.#authority().cert };
  }
}

/** The subject of a user's client certificate. */
export const subjectOf = ({ username, groups }: RequestUser): CertificateSubject => ({
  commonName: username,
  ...(groups && { organizations: groups }),
});
