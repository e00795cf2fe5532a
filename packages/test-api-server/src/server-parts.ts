import { tokenUser } from './access/authentication.js';
import { rbacAuthorizer, rbacRules } from './access/rbac.js';
import type { ServiceAccountOptions } from './access/token-keys.js';
import { ServiceAccountTokens } from './access/tokens.js';
import { admitConnection } from './admission/admit-connection.js';
import { createAdmission } from './admission/chain.js';
import { QuotaStatus } from './admission/resource-quota/quota-status.js';
import { Aggregator } from './aggregation/aggregator.js';
import type { ApiContext } from './context.js';
import { DiscoveryDocuments } from './discovery/documents.js';
import { ApiFaults } from './faults.js';
import { lazy } from './lazy.js';
import type { KeyedCertificate, TestAuthority } from './network/authority.js';
import { type NodeProxy, type NodeTarget, nodeProxy, nodeTarget } from './network/node-proxy.js';
import { podNetwork } from './network/pod-network.js';
import { requireObject } from './operations/update.js';
import type { EffectiveServerOptions } from './options.js';
import { admitRequest, type PipelinePorts, pathOf } from './pipeline.js';
import { builtInResources, metricsResources } from './registry/built-in.js';
import { ResourceRegistry } from './registry/registry.js';
import { withAnswers } from './requests/answers.js';
import { noAnswers } from './requests/known-answers.js';
import { ObjectTexts } from './requests/object-texts.js';
import { isProxied } from './requests/proxy.js';
import { type ApiRequest, queryOf } from './requests/request.js';
import type { ResourcePorts } from './requests/resource-handler.js';
import type { WatchStream } from './requests/watch.js';
import { frontProxyName } from './start/extension-authentication.js';
import { serviceRange } from './start/service-range.js';
import { badRequest, pathNotFound } from './status.js';
import { ObjectStore } from './store/object-store.js';

/** What a server consists of, without its controllers and its sockets. */
export interface ServerParts {
  context: ApiContext;
  faults: ApiFaults;
  /** The open watches. */
  watches: Set<WatchStream>;
  /** The server's CA; its key is made at the first call. */
  authority(): TestAuthority;
  tokens: ServiceAccountTokens;
  /** How to connect to nodes. */
  nodeProxy(): NodeProxy;
  pipeline: PipelinePorts;
}

/** Creates the parts; no socket, no timer. */
export function serverParts(given: EffectiveServerOptions): ServerParts {
  const options = { ...given, serviceAccounts: storedServiceAccounts(given) };
  const { clock, random, logger, automountServiceAccountTokens, bookmarkPeriodMs } = options;
  const store = new ObjectStore(options.historyLimit);
  const registry = new ResourceRegistry([...builtInResources, ...(options.metrics ? metricsResources : [])]);
  const network = podNetwork(options.podServers, options.network, () => authority().cert);
  const authorize = options.authorizer === 'rbac' ? rbacAuthorizer(store) : options.authorizer;
  const context: ApiContext = {
    ...{ store, registry, clock, random, logger, automountServiceAccountTokens, bookmarkPeriodMs, authorize },
    texts: new ObjectTexts(),
    serviceRange: serviceRange(options.serviceClusterIPRange),
    quotaStatus: new QuotaStatus(store, registry, clock),
    admission: createAdmission(options),
    serviceUrls: options.serviceUrls,
    callWebhook: (call) => options.webhooks(call) ?? network.callWebhook(call),
    answers: noAnswers,
  };
  const tokens = new ServiceAccountTokens(context, options.storage, options.serviceAccounts);
  const faults = new ApiFaults(random);
  const watches = new Set<WatchStream>();
  const authority = lazy(() => storedAuthority(options));
  const proxy = lazy(() => nodeProxy(options.nodeProxy, authority));
  const resources: ResourcePorts = {
    context,
    tokens,
    watches,
    authorize,
    authenticate: (token, audiences) => tokenUser(token, options, tokens, audiences),
    ...(options.authorizer === 'rbac' && { rulesOf: (user, namespace) => rbacRules(store, user, namespace) }),
    forward: network.forwardToService,
    ...(options.metrics && { metrics: options.metrics }),
    async proxy(_definition, object, info, request) {
      const target = nodeTarget(context, object, info, request.url.slice(pathOf(request.url).length));
      const node = options.nodeServers(target.nodeName);
      return node ? node.handle({ ...request, url: target.path }) : options.network.forward(target, request, proxy());
    },
  };
  const aggregator = new Aggregator({
    context,
    forward: network.forwardToService,
    client: lazy(() => (authority().key ? authority().issueClient({ commonName: frontProxyName }) : undefined)),
  });
  const documents = new DiscoveryDocuments(registry);
  const pipeline = { context, options, authorize, tokens, faults, resources, documents, aggregator };
  return { context, faults, watches, authority, tokens, nodeProxy: proxy, pipeline };
}

/** The node that answers a request to upgrade: exec, attach, portforward. Throws if the request is rejected. */
export async function upgradeTarget({ context, pipeline }: ServerParts, request: ApiRequest): Promise<NodeTarget> {
  const { info, user } = admitRequest(pipeline, request);
  const definition = context.registry.find(info.group, info.version, info.resource);
  if (definition === undefined || info.subresource === undefined || info.name === undefined) throw pathNotFound();
  if (isProxied(info) && info.resource !== 'nodes') throw badRequest('upgrade requests to pods and services are not proxied');
  const object = requireObject(context, definition, { name: info.name, ...(info.namespace && { namespace: info.namespace }) });
  await withAnswers(context, (current) => admitConnection(current, definition, info, user, queryOf(request)));
  return nodeTarget(context, object, info, request.url.slice(pathOf(request.url).length));
}

/** The issuer of tokens with its keys: given ones, those of the earlier run, or with a network new ones, which others can verify. */
function storedServiceAccounts({ network, storage, serviceAccounts }: EffectiveServerOptions): ServiceAccountOptions {
  if (serviceAccounts.keys || !network.createTokenKeys) return serviceAccounts;
  const name = 'tokenKeyPair';
  const known = storage?.value(name);
  const { privateKey, keys } = network.createTokenKeys(known);
  if (known === undefined) storage?.setValue(name, privateKey);
  return { ...serviceAccounts, keys };
}

/** The authority of the earlier run, or a new one. */
function storedAuthority({ network, storage }: EffectiveServerOptions): TestAuthority {
  const name = 'authority';
  const known = storage?.value(name);
  const authority = network.createAuthority(known === undefined ? undefined : (JSON.parse(known) as KeyedCertificate));
  if (storage && known === undefined && authority.key) storage.setValue(name, JSON.stringify({ cert: authority.cert, key: authority.key }));
  return authority;
}
