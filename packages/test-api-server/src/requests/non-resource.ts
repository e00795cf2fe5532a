import { openIdConfiguration, type ServiceAccountOptions } from '../access/token-keys.js';
import type { RequestUser } from '../access/user.js';
import type { Aggregator } from '../aggregation/aggregator.js';
import { aggregatedDiscovery, aggregatedDiscoveryType, apiGroup, coreVersions, groupList, resourceList } from '../discovery/discovery.js';
import { type DiscoveryDocuments, documentResponse, newDocument } from '../discovery/documents.js';
import { hasCustomResources, mergeOpenApiV2, openApiDocument, openApiIndex, openApiV2, versionInfo } from '../discovery/open-api.js';
import { methodNotAllowed, notAcceptable, pathNotFound } from '../status.js';
import { acceptedTypes, firstAccepted, isJsonType } from './media-types.js';
import { loadProtobuf } from './protobuf.js';
import { type ApiRequest, type ApiResponse, BytesBody, jsonResponse, queryOf, textResponse } from './request.js';
import type { RequestInfo } from './request-info.js';

const health = ['healthz', 'livez', 'readyz'];
const openApiV3 = 'openapi/v3';
const openApiProtobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** What older clients ask for, which is no valid media type. */
const oldOpenApiProtobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** What answers non-resource requests. */
export interface NonResourcePorts {
  documents: DiscoveryDocuments;
  aggregator: Aggregator;
  serviceAccounts: ServiceAccountOptions;
}

/** Handles non-resource requests: health, version, discovery, OpenAPI. A slash at the end of the path changes nothing. */
export function nonResource(
  { documents, aggregator, serviceAccounts }: NonResourcePorts,
  info: RequestInfo,
  request: ApiRequest,
  user: RequestUser,
): ApiResponse | Promise<ApiResponse> {
  const parts = info.path.split('/').filter(Boolean);
  const path = parts.join('/');
  const [root = ''] = parts;
  const isRead = info.verb === 'get' || info.verb === 'head';
  if (health.includes(root)) return textResponse(200, 'ok');
  if (!isRead) throw known(documents, parts) ? methodNotAllowed() : pathNotFound();
  if (info.path === '/') return jsonResponse(200, { paths: rootPaths(documents, serviceAccounts) });
  if (path === 'version') return jsonResponse(200, versionInfo);
  if (serviceAccounts.keys && path === '.well-known/openid-configuration') return jsonResponse(200, openIdConfiguration(serviceAccounts));
  if (serviceAccounts.keys && path === 'openid/v1/jwks') {
    return jsonResponse(200, { keys: serviceAccounts.keys.keys }, { 'content-type': 'application/jwk-set+json' });
  }
  if (path === 'openapi/v2') return openApiV2Response(documents, aggregator, request);
  if (path === openApiV3) {
    const index = documents.find(path, (registry) => openApiIndex(registry, (each) => openApi(documents, each)?.hash ?? ''));
    return aggregator.isUsed && index ? openApiIndexWithOthers(index.text, aggregator, request) : found(request, index);
  }
  const other = path.startsWith(`${openApiV3}/`) && aggregator.find(path.slice(openApiV3.length));
  if (other) return aggregator.forward(other, request, user);
  if (path.startsWith(`${openApiV3}/`)) return openApiResponse(documents, path.slice(openApiV3.length + 1), request);
  if (root !== 'apis' || !aggregator.isUsed) return discoveryResponse(documents, parts, request);
  return aggregator.groups().then((groups) => discoveryResponse(documents.with(groups), parts, request));
}

/** Kubernetes documentation, "The Kubernetes API: Discovery API". */
function discoveryResponse(documents: DiscoveryDocuments, parts: string[], request: ApiRequest): ApiResponse {
  const [root, first, second] = parts;
  const isCore = root === 'api';
  if ((!isCore && root !== 'apis') || parts.length > (isCore ? 2 : 3)) throw pathNotFound();
  if (first !== undefined) return found(request, discoveryDocument(documents, isCore, first, second));
  if (acceptsAggregated(request.headers?.accept)) {
    const document = documents.find(`aggregated ${root}`, (registry) => aggregatedDiscovery(registry, isCore, documents.stale));
    return found(request, document, aggregatedDiscoveryType);
  }
  return found(
    request,
    documents.find(`${root}`, (registry) => (isCore ? coreVersions : groupList(registry))),
  );
}

function discoveryDocument(documents: DiscoveryDocuments, isCore: boolean, first: string, second: string | undefined) {
  return documents.find(`${isCore ? 'api' : 'apis'}/${first}/${second}`, (registry) => {
    if (isCore) return resourceList(registry, '', first);
    return second === undefined ? apiGroup(registry, first) : resourceList(registry, first, second);
  });
}

/** Whether the client prefers aggregated discovery; v2beta1 is not served since v1.35. */
function acceptsAggregated(accept: string | undefined): boolean {
  const isAggregated = ({ parameters }: { parameters: Readonly<Record<string, string>> }) =>
    parameters.as === 'APIGroupDiscoveryList' && parameters.g === 'apidiscovery.k8s.io' && parameters.v === 'v2';
  const chosen = firstAccepted(accept, (each) => isJsonType(each.type) && (each.parameters.as === undefined || isAggregated(each)));
  return chosen !== undefined && isAggregated(chosen);
}

function found(request: ApiRequest, document: ReturnType<DiscoveryDocuments['find']>, contentType?: string): ApiResponse {
  if (document === undefined) throw pathNotFound();
  return documentResponse(request, document, contentType);
}

const known = (documents: DiscoveryDocuments, [root = '', first, second]: string[]) =>
  root === 'version' ||
  ((root === 'api' || root === 'apis') && (first === undefined || discoveryDocument(documents, root === 'api', first, second)));

function openApi(documents: DiscoveryDocuments, path: string) {
  const seed = hasCustomResources(documents.registry, path) ? undefined : `${versionInfo.gitVersion} ${path}`;
  return documents.find(`openapi ${path}`, (registry) => openApiDocument(registry, path), seed);
}

/** A document whose hash the client knows can be cached for a year; one with another hash has moved. */
function openApiResponse(documents: DiscoveryDocuments, path: string, request: ApiRequest): ApiResponse {
  const document = openApi(documents, path);
  const asked = queryOf(request).get('hash');
  if (document && asked && asked !== document.hash) {
    return { status: 301, headers: { location: `/${openApiV3}/${path}?hash=${document.hash}` }, body: '' };
  }
  const response = found(request, document);
  return asked ? { ...response, headers: { ...response.headers, 'cache-control': 'public, max-age=31536000' } } : response;
}

/** OpenAPI 2 as JSON or, for clients in Go, as protobuf. */
async function openApiV2Response(documents: DiscoveryDocuments, aggregator: Aggregator, request: ApiRequest): Promise<ApiResponse> {
  const types = acceptedTypes(request.headers?.accept);
  const isProtobuf = (type: string | undefined) => type === openApiProtobuf || type === oldOpenApiProtobuf;
  const chosen = types.find(({ type }) => isJsonType(type) || isProtobuf(type));
  if (types.length > 0 && chosen === undefined) throw notAcceptable(['application/json', openApiProtobuf]);
  const document = aggregator.isUsed
    ? newDocument(mergeOpenApiV2(openApiV2(documents.registry), await aggregator.openApiV2()))
    : documents.find('openapi/v2', openApiV2);
  return isProtobuf(chosen?.type) ? protobufResponse(request, document) : found(request, document);
}

async function openApiIndexWithOthers(index: string, aggregator: Aggregator, request: ApiRequest): Promise<ApiResponse> {
  const { paths } = JSON.parse(index) as { paths: Record<string, unknown> };
  return found(request, newDocument({ paths: { ...paths, ...(await aggregator.openApiPaths()) } }));
}

async function protobufResponse(request: ApiRequest, document: ReturnType<DiscoveryDocuments['find']>): Promise<ApiResponse> {
  const response = found(request, document, openApiProtobuf);
  if (response.status !== 200) return response;
  const { encodeOpenApi } = await loadProtobuf();
  return { ...response, body: new BytesBody(encodeOpenApi(JSON.parse(String(response.body)))) };
}

function rootPaths({ registry }: DiscoveryDocuments, { keys }: ServiceAccountOptions): string[] {
  const groups = registry.list().map(({ group, version }) => [group, version] as const);
  const paths = groups.flatMap(([group, version]) => (group ? [`/apis/${group}`, `/apis/${group}/${version}`] : [`/api/${version}`]));
  const others = ['/api', '/apis', '/healthz', '/livez', '/openapi/v2', `/${openApiV3}`, '/readyz', '/version'];
  const issuer = keys ? ['/.well-known/openid-configuration', '/openid/v1/jwks'] : [];
  return [...new Set([...others, ...issuer, ...paths])].sort();
}
