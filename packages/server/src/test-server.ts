import { type IncomingHttpHeaders, type RequestOptions, request as requestHttp } from 'node:http';
import { type Agent, request as requestHttps } from 'node:https';
import type { Clock, Pod, SubjectAccessReview, TokenReview, UserInfo } from '@nodeagent/api';
import type { CertificateSubject } from '@nodeagent/x509';
import { createNodeServer, type NodeServer } from './node-server.js';
import type { HttpsOptions, NodeServerOptions } from './options.js';
import type { ServingCertificate } from './tls/create-tls-source.js';

/** For this package's tests: parts of the test packages. */
export interface TestServersOptions<C extends Clock> {
  authority: {
    cert: string;
    issueServer(hosts: readonly string[]): ServingCertificate;
    issueClient(subject: CertificateSubject): ServingCertificate;
  };
  createClock(): C;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface AskOptions {
  method?: string;
  headers?: Record<string, string>;
  client?: ServingCertificate;
  agent?: Agent;
  body?: string;
  /** Default true: HTTPS. */
  secure?: boolean;
  /** Length of the body after which the client disconnects. Default: it reads the whole body. */
  maxLength?: number;
}

/** Servers on free ports, and a client that knows their CA. */
export function createTestServers<C extends Clock>({ authority, createClock }: TestServersOptions<C>) {
  const serving = authority.issueServer(['localhost', '127.0.0.1']);
  const admin = authority.issueClient({ commonName: 'admin', organizations: ['system:masters', 'ops'] });
  const material = { ...serving, clientCA: authority.cert };
  const servers: NodeServer[] = [];

  return {
    serving,
    admin,

    ask(port: number | undefined, path: string, options: AskOptions = {}): Promise<Answer> {
      const { method = 'GET', headers = {}, client, secure = true, agent, body, maxLength = Number.POSITIVE_INFINITY } = options;
      const wanted: RequestOptions = { host: '127.0.0.1', port, path, method, headers, agent: agent ?? false };
      return new Promise((resolve, reject) => {
        const tls = { ...client, ca: authority.cert, servername: 'localhost' };
        const request = secure ? requestHttps({ ...wanted, ...tls }) : requestHttp(wanted);
        request.on('error', reject);
        request.on('response', async (response) => {
          let text = '';
          try {
            for await (const piece of response) {
              text += piece;
              if (text.length >= maxLength) break;
            }
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
          } catch (error) {
            reject(error);
          }
        });
        request.end(body);
      });
    },

    /** Starts a server with HTTPS and the given options. */
    async serve(options: Partial<NodeServerOptions> = {}, https: Partial<HttpsOptions> = {}) {
      const clock = createClock();
      const server = createNodeServer({
        nodeName: 'n1',
        pods: { pods: () => [podOf('web')] },
        clock,
        random: () => 0.5,
        ...options,
        https: {
          address: '127.0.0.1',
          port: 0,
          tls: () => material,
          authentication: {},
          authorization: { mode: 'AlwaysAllow' },
          ...https,
        },
      });
      servers.push(server);
      await server.start();
      return { server, port: server.ports.https ?? 0, clock };
    },

    async stopAll(): Promise<void> {
      await Promise.all(servers.splice(0).map((server) => server.stop()));
    },
  };
}

export const podOf = (name: string, pod: Partial<Pod> = {}): Pod => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}` },
  spec: { containers: [{ name: 'app', image: 'nginx:1' }] },
  ...pod,
});

/** Token and access reviews of an API server. */
export function createReviews(users: Record<string, UserInfo>, allows: (spec: SubjectAccessReview['spec']) => boolean = () => true) {
  const asked: { tokens: (string | undefined)[]; access: SubjectAccessReview['spec'][] } = { tokens: [], access: [] };
  let failure: Error | undefined;
  const answer = async <T>(make: () => T): Promise<T> => {
    if (failure) throw failure;
    return make();
  };
  return {
    asked,
    fail(error: Error | undefined) {
      failure = error;
    },
    authentication: {
      tokenReviews: {
        create: (review: TokenReview) => {
          asked.tokens.push(review.spec.token);
          const user = users[review.spec.token ?? ''];
          return answer(() => ({ ...review, status: { authenticated: user !== undefined, ...(user && { user }) } }));
        },
      },
    },
    authorization: {
      mode: 'Webhook' as const,
      subjectAccessReviews: {
        create: (review: SubjectAccessReview) => {
          asked.access.push(review.spec);
          return answer(() => ({ ...review, status: { allowed: allows(review.spec) } }));
        },
      },
    },
  };
}
