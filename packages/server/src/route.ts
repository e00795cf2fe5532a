import type { AnyEndpoint } from './endpoint.js';
import { endpoints, type Route } from './endpoints.js';
import { notFound, notRegistered, type RouteRefusal, wrongMethod } from './refusal.js';
import { type RouteSwitches, refusalBySwitch } from './route-switches.js';

/** An endpoint, and the parameters of its handler. */
export interface FoundEndpoint {
  endpoint: AnyEndpoint;
  params: object;
}

const pages: ReadonlyMap<string, FoundEndpoint> = new Map(
  endpoints.flatMap((endpoint) =>
    endpoint.path.kind === 'pages' ? Array.from(endpoint.path.pages, ([path, params]) => [path, { endpoint, params }] as const) : [],
  ),
);
const unchecked = endpoints.flatMap((endpoint) => (endpoint.path.kind === 'unchecked' ? [{ ...endpoint.path, endpoint }] : []));
const services = new Map(
  endpoints.flatMap((endpoint) =>
    endpoint.path.kind === 'service' ? [[endpoint.path.root, { ...endpoint.path, endpoint }] as const] : [],
  ),
);

/** Segments of the longest root of a service. */
const maxDepth = Math.max(...Array.from(services.keys(), (root) => root.split('/').length - 1));

/**
 * Routes a request by its decoded path. A path that is not normalised (`//`, `/../`) has no route, so that authorization and handler cannot
 * see different paths. Kubernetes documentation: Kubelet authentication/authorization has the list of paths.
 */
export function route(method: string, path: string, switches: RouteSwitches = {}): Route | RouteRefusal {
  const found = findEndpoint(method, path, switches);
  // The name and the parameters come from one endpoint of the list that `Route` is made of.
  return 'status' in found ? found : ({ name: found.endpoint.name, ...found.params } as Route);
}

/** As {@link route}, with the endpoint itself. */
export function findEndpoint(method: string, path: string, switches: RouteSwitches): FoundEndpoint | RouteRefusal {
  const page = pages.get(path);
  if (page !== undefined) return refusalBySwitch(page.endpoint.enabledBy, switches) ?? withMethod(method, page);
  const below = unchecked.find(({ root }) => path === root || path.startsWith(`${root}/`));
  if (below !== undefined) return refusalBySwitch(below.endpoint.enabledBy, switches) ?? withMethod(method, below);
  const [before, ...segments] = path.split('/');
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  if (before !== '' || segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return notRegistered;
  for (let depth = Math.min(maxDepth, segments.length); depth > 0; depth--) {
    const found = services.get(`/${segments.slice(0, depth).join('/')}`);
    if (found === undefined) continue;
    const refusal = refusalBySwitch(found.endpoint.enabledBy, switches);
    if (refusal !== undefined) return refusal;
    const params = found.read(segments.slice(depth));
    return params === undefined ? notFound : withMethod(method, { endpoint: found.endpoint, params });
  }
  return notRegistered;
}

function withMethod(method: string, { endpoint, params }: FoundEndpoint): FoundEndpoint | RouteRefusal {
  const { methods } = endpoint;
  return methods === 'any' || methods.includes(method) ? { endpoint, params } : wrongMethod(methods);
}
