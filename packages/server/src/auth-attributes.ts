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

/** Subresources of their own that `proxy` allows as well. */
const fineGrained = [
  { prefix: '/pods', subresource: 'pods' },
  { prefix: '/healthz', subresource: 'healthz' },
  { prefix: '/configz', subresource: 'configz' },
  { prefix: '/runningpods', subresource: 'pods' },
];

const coarse = [
  { prefix: '/stats', subresource: 'stats' },
  { prefix: '/metrics', subresource: 'metrics' },
  { prefix: '/logs', subresource: 'log' },
  { prefix: '/checkpoint', subresource: 'checkpoint' },
  { prefix: '/statusz', subresource: 'statusz' },
  { prefix: '/flagz', subresource: 'configz' },
];

/**
 * The attributes of a request: Kubernetes documentation, Kubelet authentication/authorization. Paths are compared as they are, without
 * resolving anything in them.
 */
export function requestAttributes(method: string, path: string, nodeName: string): RequestAttributes {
  const isBelow = ({ prefix }: { prefix: string }) => path === prefix || path.startsWith(`${prefix}/`);
  const own = fineGrained.find(isBelow);
  const { subresource } = coarse.find(isBelow) ?? { subresource: 'proxy' };
  return {
    verb: verbs.get(method) ?? '',
    resource: 'nodes',
    name: nodeName,
    subresources: own ? [own.subresource, subresource] : [subresource],
  };
}

/** The text of a refusal (403), as the kubelet words it. */
export function forbiddenText(user: string, { verb, resource, subresources }: RequestAttributes): string {
  return `Forbidden (user=${user}, verb=${verb}, resource=${resource}, subresource(s)=[${subresources.join(' ')}])\n`;
}
