import type { ResourceVerb } from '../registry/resource.js';
import { badRequest } from '../status.js';
import { flagOf } from './request.js';

/** Attributes of a request, by its method and path: Kubernetes documentation, "Authorization Overview: Determine the request verb". */
export interface RequestInfo {
  /** Whether it is a resource request; otherwise only `path` and the verb, the method in lower case, are set. */
  isResource: boolean;
  verb: ResourceVerb | (string & {});
  path: string;
  group: string;
  version: string;
  resource: string;
  namespace?: string;
  name?: string;
  subresource?: string;
  /** The path after the subresource, such as the path to proxy. */
  rest?: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  GET: 'get',
  HEAD: 'get',
};

/** Subresources of namespaces, whose paths look like resources in the namespace. */
const namespaceParts = ['status', 'finalize'];

/** Reads a method, a path and a query. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const other = { isResource: false, verb: method.toLowerCase(), path, group: '', version: '', resource: '' };
  const parts = path.split('/').filter((part) => part !== '');
  const grouped = parts[0] === 'apis';
  if (!grouped && parts[0] !== 'api') return other;
  const [group = '', version, ...after] = grouped ? parts.slice(1) : ['', ...parts.slice(1)];
  // The deprecated form of a watch, which Ruby's kubeclient uses.
  const isWatchPath = method === 'GET' && after[0] === 'watch';
  const rest = isWatchPath ? after.slice(1) : after;
  if (version === undefined || rest.length === 0) return other;
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && !(rest.length === 3 && namespaceParts.includes(rest[2] ?? ''));
  const namespace = inNamespace ? rest[1] : undefined;
  const [resource = '', encodedName, subresource, ...further] = inNamespace ? rest.slice(2) : rest;
  const name = encodedName === undefined ? undefined : decoded(encodedName);
  return {
    isResource: true,
    verb: isWatchPath ? 'watch' : verbOf(method, name, query),
    path,
    group,
    version,
    resource,
    ...(namespace !== undefined && { namespace: decoded(namespace) }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
    ...(further.length > 0 && { rest: further.join('/') }),
  };
}

function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest(`the path has an invalid escape: ${text}`);
  }
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  const verb = verbs[method] ?? method.toLowerCase();
  if (verb === 'get' && name === undefined && flagOf(query, 'watch')) return 'watch';
  if (name !== undefined) return verb;
  if (verb === 'get') return 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}
