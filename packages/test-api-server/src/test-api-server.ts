import { checkOptionNames, type OptionNames } from '@nodeagent/api';
import type { AdmissionRequest } from './access/admission-request.js';
import { tokenUser } from './access/authentication.js';
import { allowAll } from './access/authorizer.js';
import { restrictNode } from './access/node-restriction.js';
import type { ClusterFacts } from './access/node-rules/node-rule.js';
import { rbacAuthorizer } from './access/rbac.js';
import { ServiceAccountTokens } from './access/tokens.js';
import type { RequestUser } from './access/user.js';
import type { ApiContext } from './context.js';
import { CertificateSigner } from './controllers/certificate-signer.js';
import { type RunningControllers, runControllers } from './controllers/controller.js';
import { followDefinitions } from './controllers/custom-resources.js';
import { EventExpiry } from './controllers/event-expiry.js';
import { EventWriter } from './controllers/event-writer.js';
import { GarbageCollector } from './controllers/garbage-collector.js';
import { NamespaceController } from './controllers/namespace-controller.js';
import { nodeControllers } from './controllers/node-controllers.js';
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

/**
 * An API server in memory: with the rules of a real one for objects, watches and errors, without etcd, controllers (except for namespaces and
 * garbage collection) or admission webhooks. It serves requests by {@link handle}, without I/O, or over HTTP once it listens.
 */
export interface TestApiServer {
  /**
   * Handles one request. Rejects only if a fault cuts the connection, with a NodeAgentError `ApiUnreachable`; all other errors
   * are responses.
   */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Access to the objects without requests. */
  readonly objects: ServerObjects;
  /** The resourceVersion of the newest change. */
  readonly revision: number;
  /** Injects a fault into selected requests. If several faults match a request, the first one hits it. */
  fault(fault: ApiFault): ApiFaultHandle;
  clearFaults(): void;
  /**
   * Closes open watches, all or those of one resource: `end` as after a timeout, `cut` by breaking the connection, `expire` with an event
   * 410. Returns their number. Default `end`.
   */
  dropWatches(how?: 'end' | 'cut' | 'expire', resource?: string): number;
  /** Drops all changes so far: watches and lists from an older resourceVersion get 410. */
  forgetHistory(): void;
  /** Number of open watches. */
  readonly watches: number;
  /** Serves over HTTP or HTTPS. Resolves to the URL; a second call returns the same one. */
  listen(options?: ListenOptions): Promise<string>;
  /**
   * Resolves when clients in this process, such as a controller under test, have no HTTP request in flight and only wait for
   * time. `createVirtualClock({ settleIO: () => server.quiet() })` lets them run in virtual time. Resolves at once if
   * the server does not listen.
   */
  quiet(): Promise<void>;
  /** The text of a kubeconfig for the listening server. */
  kubeconfig(options?: KubeconfigOptions): string;
  /** The server's CA certificate, PEM. */
  readonly caCertificate: string;
  /** Issues a client certificate for a user with its groups. */
  issueClientCertificate(user: { username: string; groups?: readonly string[] }): KeyedCertificate;
  /** Stops watches, controllers and the HTTP server; idempotent. */
  close(): Promise<void>;
}

const firstNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const optionNames: OptionNames<TestApiServerOptions> = {
  clock: true,
  random: true,
  logger: true,
  historyLimit: true,
  bookmarkPeriodMs: true,
  tokens: true,
  anonymous: { username: true, uid: true, groups: true, extra: true },
  authorizer: true,
  nodeRestriction: true,
  audit: true,
  onRequest: true,
  nodeProxy: { scheme: true, verify: true, cert: true, key: true },
  nodeServers: true,
  metrics: true,
  automountServiceAccountTokens: true,
  scheduler: true,
  workloads: true,
  nodeLifecycle: { nodeMonitorGracePeriodMs: true },
  certificateSigner: { autoApprove: true, lifetimeMs: true, backdateMs: true },
  garbageCollection: true,
};

/** Creates an API server in memory, see {@link TestApiServer}. Opens no socket before `listen`. */
export function createTestApiServer(options: TestApiServerOptions = {}): TestApiServer {
  checkOptionNames('createTestApiServer', options, optionNames);
  const effective = withDefaults(options);
  const { clock, random, logger, automountServiceAccountTokens, bookmarkPeriodMs } = effective;
  const store = new ObjectStore(effective.historyLimit);
  const registry = new ResourceRegistry([...builtInResources, ...(effective.metrics ? metricsResources : [])]);
  const authorize = effective.authorizer === 'rbac' ? rbacAuthorizer(store) : effective.authorizer;
  const cluster: ClusterFacts = {
    get: (storage, namespace, name) => store.get(storage, namespace, name),
    // A server that allows all requests does not grant its nodes more than a cluster does.
    isGranted: (attributes) => effective.authorizer !== allowAll && authorize(attributes).allowed,
  };
  const admit = (request: AdmissionRequest) => {
    if (effective.nodeRestriction) restrictNode(request, cluster);
  };
  const texts = new ObjectTexts();
  const context: ApiContext = { store, registry, clock, random, logger, automountServiceAccountTokens, bookmarkPeriodMs, texts, admit };
  const tokens = new ServiceAccountTokens(context);
  const faults = new ApiFaults(random);
  const watches = new Set<WatchStream>();
  const authority = lazy(createTestAuthority);
  const proxy = lazy(() => nodeProxy(effective.nodeProxy, authority));
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
  const events = new EventWriter(context);
  const controllers: RunningControllers = runControllers(context, [
    new NamespaceController(context, () => authority().cert),
    new EventExpiry(context),
    ...(effective.garbageCollection ? [new GarbageCollector(context)] : []),
    ...(effective.nodeLifecycle ? nodeControllers(context, events, effective.nodeLifecycle) : []),
    ...(effective.workloads ? [new WorkloadController(context, (place) => controllers.queue(place))] : []),
    ...(effective.certificateSigner ? [new CertificateSigner(context, authority, effective.certificateSigner)] : []),
    ...(effective.scheduler ? [new Scheduler(context, events)] : []),
  ]);
  // Controllers finish before the next request, so tests are deterministic.
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
