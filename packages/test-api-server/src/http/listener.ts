import type { CertificateSubject } from '@nodeagent/x509';
import type { RequestUser } from '../access/user.js';
import { kubeconfigText } from '../kubeconfig.js';
import type { TestAuthority } from './certificates.js';
import { type HttpPorts, type HttpServer, serveHttp } from './http-server.js';
import { quietDetector } from './quiet.js';

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
}

/** The user of a kubeconfig. Default: no credentials, which is an administrator. */
export interface KubeconfigOptions {
  /** A bearer token. */
  token?: string;
  /** A user, for whom the server issues a client certificate; needs TLS. */
  user?: { username: string; groups?: readonly string[] };
  namespace?: string;
}

/** The server on the network, once it listens. */
export class Listener {
  readonly #ports: HttpPorts;
  readonly #authority: () => TestAuthority;
  #http: Promise<{ server: HttpServer; url: string }> | undefined;
  #listening: { url: string; tls: boolean; quiet(): Promise<void> } | undefined;

  constructor(ports: HttpPorts, authority: () => TestAuthority) {
    this.#ports = ports;
    this.#authority = authority;
  }

  /** Resolves to the URL; a second call returns the same one. */
  async listen(options: ListenOptions): Promise<string> {
    this.#http ??= this.#serve(options);
    return (await this.#http).url;
  }

  async quiet(): Promise<void> {
    await this.#listening?.quiet();
  }

  kubeconfig({ token, user, namespace }: KubeconfigOptions): string {
    if (this.#listening === undefined) throw new Error('the server does not listen yet: call listen() before kubeconfig()');
    const { url, tls } = this.#listening;
    const credentials = token !== undefined ? { token } : user && this.#authority().issueClient(subjectOf(user));
    return kubeconfigText({
      server: url,
      ...(tls && { ca: this.#authority().cert }),
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

  async #serve({ host = '127.0.0.1', port = 0, tls = false, hosts = [] }: ListenOptions): Promise<{ server: HttpServer; url: string }> {
    const authority = tls ? this.#authority() : undefined;
    const names = [...new Set([host, '127.0.0.1', 'localhost', ...hosts])];
    const secure = authority && { ...authority.issueServer(names), ca: authority.cert };
    const server = await serveHttp(this.#ports, { host, port, tls: secure });
    const url = `${tls ? 'https' : 'http'}://${host}:${server.port}`;
    this.#listening = { url, tls, quiet: quietDetector(server.traffic, server.hesitates) };
    return { server, url };
  }
}

/** The subject of a user's client certificate. */
export const subjectOf = ({ username, groups }: RequestUser): CertificateSubject => ({
  commonName: username,
  ...(groups && { organizations: groups }),
});
