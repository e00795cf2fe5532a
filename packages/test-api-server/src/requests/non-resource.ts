import { aggregatedDiscovery, aggregatedDiscoveryType, apiGroup, coreVersions, groupList, resourceList } from '../discovery/discovery.js';
import { openApiDocument, openApiIndex, openApiV2, versionInfo } from '../discovery/open-api.js';
import type { ResourceRegistry } from '../registry/registry.js';
import { notAcceptable, pathNotFound } from '../status.js';
import { acceptedTypes, acceptsAs } from './media-types.js';
import { type ApiResponse, jsonResponse, textResponse } from './request.js';

const health = ['/healthz', '/livez', '/readyz'];

/** Handles non-resource requests: health, version, discovery, OpenAPI. */
export function nonResource(registry: ResourceRegistry, path: string, accept: string | undefined): ApiResponse {
  if (health.some((each) => path === each || path.startsWith(`${each}/`))) return textResponse(200, 'ok');
  if (path === '/version') return jsonResponse(200, versionInfo);
  if (path === '/openapi/v3') return jsonResponse(200, openApiIndex(registry));
  if (path === '/openapi/v2') return openApiV2Response(registry, accept);
  if (path.startsWith('/openapi/v3/')) return found(openApiDocument(registry, path.slice('/openapi/v3/'.length)));
  const [root, group, version, ...rest] = path.split('/').slice(1);
  if (rest.length > 0 || (root !== 'api' && root !== 'apis')) throw pathNotFound();
  if (group === undefined || group === '') {
    if (acceptsAs(accept, 'APIGroupDiscoveryList', 'v2')) {
      return jsonResponse(200, aggregatedDiscovery(registry, root === 'api'), { 'content-type': aggregatedDiscoveryType });
    }
    return jsonResponse(200, root === 'api' ? coreVersions : groupList(registry));
  }
  if (root === 'api') return found(version === undefined ? resourceList(registry, '', group) : undefined);
  return found(version === undefined ? apiGroup(registry, group) : resourceList(registry, group, version));
}

function found(value: unknown): ApiResponse {
  if (value === undefined) throw pathNotFound();
  return jsonResponse(200, value);
}

/** Clients that accept this document only as protobuf get 404. */
function openApiV2Response(registry: ResourceRegistry, accept: string | undefined): ApiResponse {
  const types = acceptedTypes(accept);
  const takesJson = types.length === 0 || types.some(({ type }) => /^(application|\*)\/(json|\*)$/.test(type));
  if (!takesJson) throw notAcceptable(['application/json']);
  return jsonResponse(200, openApiV2(registry));
}
