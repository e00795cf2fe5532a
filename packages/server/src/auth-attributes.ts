import { endpoints } from './endpoints.js';
import { notServed } from './not-served.js';

/** What the API server is asked about a request (SubjectAccessReview), once for each subresource until one is allowed. */
export interface RequestAttributes {
  /** Empty for methods that are no verb of the API, such as HEAD. */
  verb: string;
  resource: 'nodes';
  /** The node's name. */
  name: string;
  /** In the order in which they are asked for; the first that is allowed lets the request pass. */
  subresources: string[];
}

const verbs: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** The longest root first, so that an endpoint below another one keeps its own subresources. */
const byRoot = [...endpoints.map(({ path: { root }, authorization }) => ({ root, authorization })), ...notServed].sort(
  (a, b) => b.root.length - a.root.length,
);

/**
 * The attributes of a request: Kubernetes documentation, Kubelet authentication/authorization. Paths are compared as they are, without
 * resolving anything in them.
 */
export function requestAttributes(method: string, path: string, nodeName: string): RequestAttributes {
  const found = byRoot.find(({ root }) => path === root || path.startsWith(`${root}/`));
  return {
    verb: verbs.get(method) ?? '',
    resource: 'nodes',
    name: nodeName,
    subresources: [...(found?.authorization ?? ['proxy'])],
  };
}

/** The text of a refusal (403), as the kubelet words it. */
export function forbiddenText(user: string, { verb, resource, subresources }: RequestAttributes): string {
  return `Forbidden (user=${user}, verb=${verb}, resource=${resource}, subresource(s)=[${subresources.join(' ')}])\n`;
}
