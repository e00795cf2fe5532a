import { endpoints } from './endpoints.js';

/** The attributes of a request for a SubjectAccessReview, one review per subresource until one is allowed. */
export interface RequestAttributes {
  /** Empty for methods without an API verb, such as HEAD. */
  verb: string;
  resource: 'nodes';
  /** The node's name. */
  name: string;
  /** In the order of the reviews; the request is allowed if one of them is. */
  subresources: string[];
}

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Longest root first, so that a nested endpoint uses its own subresources. */
const byRoot = endpoints
  .map(({ path: { root }, authorization, requiresCreate = false }) => ({ root, authorization, requiresCreate }))
  .sort((a, b) => b.root.length - a.root.length);

/**
 * The attributes of a request: Kubernetes documentation, Kubelet authentication/authorization. Paths are compared literally, without
 * normalisation.
 */
export function requestAttributes(method: string, path: string, nodeName: string): RequestAttributes {
  const found = endpointAt(path);
  return {
    verb: verbs.get(method) ?? '',
    resource: 'nodes',
    name: nodeName,
    subresources: [...(found?.authorization ?? ['proxy'])],
  };
}

/**
 * What a client must be allowed: the attributes of the request, as a kubelet reviews them, and for endpoints that enter pods the verb `create`, which a
 * kubelet does not require of GET requests (kubernetes/kubernetes#136550).
 */
export function requiredAttributes(method: string, path: string, nodeName: string): RequestAttributes[] {
  const attributes = requestAttributes(method, path, nodeName);
  const alsoCreates = endpointAt(path)?.requiresCreate && attributes.verb !== 'create';
  return alsoCreates ? [attributes, { ...attributes, verb: 'create' }] : [attributes];
}

function endpointAt(path: string) {
  return byRoot.find(({ root }) => path === root || path.startsWith(`${root}/`));
}

/** The kubelet's text of a 403 response. */
export function forbiddenText(user: string, { verb, resource, subresources }: RequestAttributes): string {
  return `Forbidden (user=${user}, verb=${verb}, resource=${resource}, subresource(s)=[${subresources.join(' ')}])\n`;
}
