import type { Pod } from '@nodeagent/api';
import { tokenUser } from './access/authentication.js';
import { type AdmissionRequest, restrictNode } from './access/node-restriction.js';
import { rbacAuthorizer } from './access/rbac.js';
import { ServiceAccountTokens } from './access/tokens.js';
import type { RequestUser } from './access/user.js';
import type { ApiContext } from './context.js';
import { type RunningControllers, runControllers } from './controllers/controller.js';
import { followDefinitions } from './controllers/custom-resources.js';
import { EventExpiry } from './controllers/event-expiry.js';
import { GarbageCollector } from './controllers/garbage-collector.js';
import { NamespaceController } from './controllers/namespace-controller.js';
import { Scheduler } from './controllers/scheduler.js';
import { WorkloadController } from './controllers/workload-controller.js';
import { type ApiFault, type ApiFaultHandle, ApiFaults, connectionCut } from './faults.js';
import { createTestAuthority, type KeyedCertificate } from './http/certificates.js';
import { type HttpServer, serveHttp } from './http/http-server.js';
import { forwardToNode, nodeProxy, nodeTarget } from './http/node-proxy.js';
import { quietDetector } from './http/quiet.js';
import { kubeconfigText } from './kubeconfig.js';
import { type ServerObjects, serverObjects } from './objects-api.js';
import { requireObject } from './operations/update.js';
import { type TestApiServerOptions, withDefaults } from './options.js';
import { admitRequest, handleRequest, pathOf } from './pipeline.js';
import { builtInResources, metricsResources } from './registry/built-in.js';
import { ResourceRegistry } from './registry/registry.js';
import { ObjectTexts } from './requests/object-texts.js';
import type { ApiRequest, ApiResponse } from './requests/request.js';
import type { ResourcePorts } from './requests/resource-handler.js';
import type { WatchStream } from './requests/watch.js';
import { expired, pathNotFound } from './status.js';
import { ObjectStore } from './store/object-store.js';

/** Where a server listens. */
export interface ListenOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any that is free. */
  port?: number;
  /** HTTPS, with a certificate of the server's own authority. Default false. */
  tls?: boolean;
  /** Names and IPv4 addresses that the certificate is for, beside `host` and localhost. */
  hosts?: readonly string[];
}

/** Whom a kubeconfig is for. Default: nobody in particular, which is an administrator. */
export interface KubeconfigOptions {
  /** A bearer token. */
  token?: string;
  /** A user with a client certificate, which the server issues; needs TLS. */
  user?: { username: string; groups?: readonly string[] };
  namespace?: string;
}

/**
 * An API server in memory: the real one's rules for objects, watches and errors, without etcd, controllers (but for namespaces and
 * garbage collection) or admission webhooks. Requests come in by {@link handle}, without any I/O, or over HTTP once it listens.
 */
export interface TestApiServer {
  /**
   * Answers one request. Rejects only where a fault cuts the connection, with a NodeAgentError `ApiUnreachable`; everything else,
   * refusals too, is an answer.
   */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** The objects, without requests. */
  readonly objects: ServerObjects;
  /** The resourceVersion of the newest change. */
  readonly revision: number;
  /** Makes chosen requests go wrong. Of faults that match a request, the one set first hits it. */
  fault(fault: ApiFault): ApiFaultHandle;
  clearFaults(): void;
  /**
   * Ends open watches, all or those of one resource: `end` as a timeout does, `cut` by breaking the connection, `expire` with an event
   * 410. Returns how many there were. Default `end`.
   */
  dropWatches(how?: 'end' | 'cut' | 'expire', resource?: string): number;
  /** Forgets all changes so far: whoever watches or lists from an older resourceVersion gets 410. */
  forgetHistory(): void;
  /** Watches that are open. */
  readonly watches: number;
  /** Serves over HTTP or HTTPS. Resolves with the URL; a second call gives the same one. */
  listen(options?: ListenOptions): Promise<string>;
  /**
   * Resolves when clients of this process, such as a controller in its test, have done over HTTP all that they do without waiting for
   * time: no byte moves any more. `createVirtualClock({ settleIO: () => server.quiet() })` takes them into virtual time. At once if
   * the server does not listen.
   */
  quiet(): Promise<void>;
  /** A kubeconfig for the server that listens, as text. */
  kubeconfig(options?: KubeconfigOptions): string;
  /** The certificate of the server's authority, PEM. */
  readonly caCertificate: string;
  /** A client certificate of the server's authority: a user and its groups. */
  issueClientCertificate(user: { username: string; groups?: readonly string[] }): KeyedCertificate;
  /** Ends watches, controllers and the HTTP server; idempotent. */
  close(): Promise<void>;
}

const firstNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** An API server in memory, see {@link TestApiServer}. Sets no timer and opens no socket until asked to. */
export function createTestApiServer(options: TestApiServerOptions = {}): TestApiServer {
  const effective = withDefaults(options);
  const { clock, random, logger, automountServiceAccountTokens, bookmarkPeriodMs } = effective;
  const store = new ObjectStore(effective.historyLimit);
  const registry = new ResourceRegistry([...builtInResources, ...(effective.metrics ? metricsResources : [])]);
  const nodeOfPod = (namespace: string | undefined, name: string) =>
    (store.get('/pods', namespace, name) as Pod | undefined)?.spec?.nodeName;
  const admit = (request: AdmissionRequest) => {
    if (effective.nodeRestriction) restrictNode(request, nodeOfPod);
  };
  const texts = new ObjectTexts();
  const context: ApiContext = { store, registry, clock, random, logger, automountServiceAccountTokens, bookmarkPeriodMs, texts, admit };
  const tokens = new ServiceAccountTokens(context);
  const faults = new ApiFaults(random);
  const watches = new Set<WatchStream>();
  const authority = lazy(createTestAuthority);
  const proxy = lazy(() => nodeProxy(effective.nodeProxy, authority));
  const authorize = effective.authorizer === 'rbac' ? rbacAuthorizer(store) : effective.authorizer;
  const resources: ResourcePorts = {
    context,
    tokens,
    watches,
    authorize,
    authenticate: (token, audiences) => tokenUser(token, effective, tokens, audiences),
    ...(effective.metrics && { metrics: effective.metrics }),
    async proxy(_definition, object, info, request) {
      const target = nodeTarget(context, object, info, request.url.slice(pathOf(request.url).length));
      const node = effective.nodeServers(target.nodeName);
      return node ? node.handle({ ...request, url: target.path }) : forwardToNode(target, request, proxy());
    },
  };
  const ports = { context, options: effective, authorize, tokens, faults, resources };
  const stopDefinitions = followDefinitions(context);
  const controllers: RunningControllers = runControllers(context, [
    new NamespaceController(context, () => authority().cert),
    new EventExpiry(context),
    ...(effective.garbageCollection ? [new GarbageCollector(context)] : []),
    ...(effective.workloads ? [new WorkloadController(context, (place) => controllers.look(place))] : []),
    ...(effective.scheduler ? [new Scheduler(context)] : []),
  ]);
  // What follows from a request is done before the next one: tests see the same each time.
  const objects = serverObjects(context, controllers.settle);
  const handle = (request: ApiRequest) => {
    controllers.settle();
    return handleRequest(ports, request);
  };
  for (const name of firstNamespaces) objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  let http: Promise<{ server: HttpServer; url: string }> | undefined;
  let listening: { url: string; tls: boolean; quiet(): Promise<void> } | undefined;
  const listen = async ({ host = '127.0.0.1', port = 0, tls = false, hosts = [] }: ListenOptions) => {
    const secure = tls
      ? { ...authority().issueServer([...new Set([host, '127.0.0.1', 'localhost', ...hosts])]), ca: authority().cert }
      : undefined;
    const ports = { handle, upgradeTarget, nodeProxy: proxy, nodeServers: effective.nodeServers };
    const server = await serveHttp(ports, { host, port, ...(secure && { tls: secure }) });
    listening = { url: `${tls ? 'https' : 'http'}://${host}:${server.port}`, tls, quiet: quietDetector(server.traffic, server.hesitates) };
    return { server, url: listening.url };
  };
  const upgradeTarget = async (request: ApiRequest) => {
    const { info } = admitRequest(ports, request);
    const definition = registry.find(info.group, info.version, info.resource);
    if (definition === undefined || info.subresource === undefined || info.name === undefined) throw pathNotFound();
    const object = requireObject(context, definition, { name: info.name, ...(info.namespace && { namespace: info.namespace }) });
    return nodeTarget(context, object, info, request.url.slice(pathOf(request.url).length));
  };

  return {
    handle,
    objects,
    get revision() {
      return store.revision;
    },
    fault: (fault) => faults.add(fault),
    clearFaults: () => faults.clear(),
    dropWatches(how = 'end', resource) {
      const chosen = [...watches].filter(({ definition }) => resource === undefined || definition.resource === resource);
      for (const watch of chosen) {
        if (how === 'cut') watch.cut(connectionCut());
        else watch.end(how === 'expire' ? expired('The resourceVersion for the provided watch is too old.') : undefined);
      }
      return chosen.length;
    },
    forgetHistory: () => store.forgetHistory(),
    get watches() {
      return watches.size;
    },
    async listen(listenOptions = {}) {
      http ??= listen(listenOptions);
      return (await http).url;
    },
    async quiet() {
      await listening?.quiet();
    },
    kubeconfig({ token, user, namespace } = {}) {
      if (listening === undefined) throw new Error('the server does not listen yet: call listen() before kubeconfig()');
      const credentials = token !== undefined ? { token } : user && authority().issueClient(subjectOf(user));
      return kubeconfigText({
        server: listening.url,
        ...(listening.tls && { ca: authority().cert }),
        ...(credentials && { credentials }),
        ...(namespace && { namespace }),
      });
    },
    get caCertificate() {
      return authority().cert;
    },
    issueClientCertificate: (user) => authority().issueClient(subjectOf(user)),
    async close() {
      controllers.stop();
      stopDefinitions();
      for (const watch of [...watches]) watch.end();
      const running = http;
      http = undefined;
      listening = undefined;
      if (running) await (await running).server.close();
    },
  };
}

const subjectOf = ({ username, groups }: RequestUser) => ({ commonName: username, ...(groups && { organizations: groups }) });

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
