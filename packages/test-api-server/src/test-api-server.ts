import { createTestControllers } from '@nodeagent/test-controllers';
import type { SchedulingExplanation } from '@nodeagent/test-controllers/decisions';
import { AggregatedRoles } from './access/aggregated-roles.js';
import { PolicyStatus } from './admission/policies/policy-status.js';
import { ApiServiceController } from './aggregation/api-services.js';
import type { ApiContext } from './context.js';
import { controllerObjects } from './controller-objects.js';
import { DefinitionStatus } from './custom-resources/definition-status.js';
import { deviceAllocation } from './devices/device-allocation.js';
import { type ApiFault, type ApiFaultHandle, connectionCut } from './faults.js';
import type { KeyedCertificate } from './network/authority.js';
import { type KubeconfigOptions, Listener, type ListenOptions, subjectOf } from './network/listener.js';
import { type ServerObjects, serverObjects } from './objects-api.js';
import { expireEvents } from './operations/event-expiry.js';
import { type EffectiveServerOptions, type TestApiServerOptions, withDefaults } from './options.js';
import { handleRequest } from './pipeline.js';
import { loadModule, modulesLoaded } from './requests/module-loads.js';
import type { ApiRequest, ApiResponse } from './requests/request.js';
import { serverParts, upgradeTarget } from './server-parts.js';
import { createDefaultRoles } from './start/default-roles.js';
import { createExtensionAuthentication } from './start/extension-authentication.js';
import { createStartObjects, keepKubernetesService, publishAddress } from './start/start-objects.js';
import { expired } from './status.js';
import { Checkpoint } from './store/checkpoint.js';

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
  /**
   * Why the pod gets its node, or none: each node with the scheduler's reason against it or its scores, also of a server whose option `scheduler` is
   * off. Default namespace `default`. Undefined if there is no such pod.
   */
  why(pod: string, namespace?: string): SchedulingExplanation | undefined;
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
  /** Makes the current objects those that {@link reset} restores. Default: those of a new server. */
  checkpoint(): void;
  /**
   * Removes what was created since the start or the last {@link checkpoint}, restores what was changed, and removes all faults: at once, without
   * finalizers and grace periods, for use between tests. Open watches receive the changes, controllers restart, resourceVersions continue.
   */
  reset(): void;
  /** Number of open watches. */
  readonly watches: number;
  /** Serves over HTTP or HTTPS; needs the option `network`. Resolves to the URL; a second call returns the same one. */
  listen(options?: ListenOptions): Promise<string>;
  /**
   * Resolves when clients in this process, such as a controller under test, have no HTTP request in flight and only wait for
   * time, and the server loads no module. `createVirtualClock({ settleIO: () => server.quiet() })` lets them run in virtual time. Resolves at
   * once if the server does not listen.
   */
  quiet(): Promise<void>;
  /** The text of a kubeconfig for the listening server. */
  kubeconfig(options?: KubeconfigOptions): string;
  /** The server's CA certificate, PEM; without the option `network` that of a CA whose key was deleted. */
  readonly caCertificate: string;
  /** Issues a client certificate for a user with its groups; needs the option `network`. */
  issueClientCertificate(user: { username: string; groups?: readonly string[] }): KeyedCertificate;
  /**
   * Issues a certificate for the names of a server, such as `hooks.default.svc` of a webhook; needs the option `network`. Webhooks and aggregated API
   * servers with one need no `caBundle`.
   */
  issueServerCertificate(hosts: readonly string[]): KeyedCertificate;
  /** Stops watches, controllers and the HTTP server; idempotent. */
  close(): Promise<void>;
}

const firstNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates an API server in memory, see {@link TestApiServer}. Opens no socket before `listen`. */
export function createTestApiServer(options: TestApiServerOptions = {}): TestApiServer {
  const effective = withDefaults(options);
  const { network, nodeServers, storage } = effective;
  const parts = serverParts(effective);
  const { context, faults, watches, authority, pipeline, tokens } = parts;
  const definitions = new DefinitionStatus(context);
  const loadTypeCheck = () => loadModule(() => import('./admission/policies/check-types.js'));
  const policies = new PolicyStatus(context, loadTypeCheck);
  const stopFollowing = [() => definitions.stop(), expireEvents(context), policies.stop, keepKubernetesService(context)];
  const secretToken = tokens.ofSecret.bind(tokens);
  const devices = deviceAllocation(context);
  const startControllers = () =>
    createTestControllers({ ...effective, objects: controllerObjects(context), authority, secretToken, devices });
  let controllers = startControllers();
  const services = new ApiServiceController(context, (spec) => pipeline.aggregator.discoveryProblem(spec));
  const roles = new AggregatedRoles(context.store);
  // Controllers finish before the next request, so tests are deterministic.
  const settle = () => {
    definitions.settle();
    controllers.settle();
    context.quotaStatus.settle();
    services.settle();
    roles.settle();
  };
  const objects = serverObjects(context, settle);
  const handle = (request: ApiRequest) => {
    settle();
    return handleRequest(pipeline, request);
  };
  const { store } = context;
  fillStore(context, objects, effective);
  createExtensionAuthentication(context, authority().cert);
  settle();
  store.forgetHistory();
  let start = new Checkpoint(store);
  const handlers = {
    handle,
    upgradeTarget: (request: ApiRequest) => upgradeTarget(parts, request),
    nodeProxy: parts.nodeProxy,
    nodeServers,
  };
  const listener = new Listener(network, handlers, authority);

  return {
    handle,
    objects,
    why(pod, namespace = 'default') {
      settle();
      return controllers.explainScheduling(namespace, pod);
    },
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
    checkpoint() {
      settle();
      start = new Checkpoint(store);
    },
    reset() {
      faults.clear();
      start.restore();
      // The restored objects are a state that they have not seen.
      for (const follower of [definitions, context.quotaStatus, services]) follower.resync();
      controllers.stop();
      controllers = startControllers();
      settle();
    },
    get watches() {
      return watches.size;
    },
    async listen(listenOptions = {}) {
      const url = await listener.listen(listenOptions);
      const { hostname, port } = new URL(url);
      publishAddress(context, { ip: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
      return url;
    },
    async quiet() {
      await modulesLoaded();
      await listener.quiet();
    },
    kubeconfig: (kubeconfigOptions = {}) => listener.kubeconfig(kubeconfigOptions),
    get caCertificate() {
      return authority().cert;
    },
    issueServerCertificate: (hosts) => authority().issueServer(hosts),
    issueClientCertificate: (user) => authority().issueClient(subjectOf(user)),
    async close() {
      controllers.stop();
      services.stop();
      roles.stop();
      for (const stop of stopFollowing) stop();
      context.quotaStatus.stop();
      for (const watch of [...watches]) watch.end();
      await listener.close();
      storage?.close();
    },
  };
}

/** Loads the objects of an earlier run, and creates what a cluster has from the start. */
function fillStore(context: ApiContext, objects: ServerObjects, { storage, authorizer }: EffectiveServerOptions): void {
  const { store } = context;
  if (storage) {
    const { objects: earlier, revision } = storage.open(() => store.entries());
    store.restore(earlier, revision);
    store.journal = storage.journal;
  }
  for (const name of firstNamespaces) {
    if (!store.get('/namespaces', undefined, name)) objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  createStartObjects(context);
  if (authorizer === 'rbac') createDefaultRoles(context);
}
