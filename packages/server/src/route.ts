/** Which parts of the server answer; with the names and defaults of KubeletConfiguration. */
export interface RouteSwitches {
  /** Everything that does more than tell figures and pods. Default true; false on the read-only port. */
  enableDebuggingHandlers?: boolean;
  /** `/logs/`. Default true. */
  enableSystemLogHandler?: boolean;
  /** `/debug/pprof/`. Default true. */
  enableProfilingHandler?: boolean;
  /** `/debug/flags/v`. Default true. */
  enableDebugFlagsHandler?: boolean;
  /** `/ui/`. Default false. */
  ui?: boolean;
}

/** A pod, and in most requests one of its containers, as a path names them. */
export interface PathTarget {
  namespace: string;
  pod: string;
  /** Absent if the path names none. */
  uid?: string;
  /** Empty for `portForward`. */
  container: string;
}

/** What is asked for. */
export type Route =
  | { name: 'healthz' | 'pods' | 'runningpods' | 'summary' | 'configz' | 'flags' | 'ui' }
  | { name: 'metrics'; page: MetricsPage }
  | { name: 'logs' | 'pprof'; rest: string }
  | { name: 'containerLogs' | 'exec' | 'attach' | 'portForward' | 'run' | 'checkpoint'; target: PathTarget };

export type MetricsPage = 'kubelet' | 'cadvisor' | 'resource' | 'probes' | 'slis';

/** An answer that needs nobody: status and text. */
export interface RouteRefusal {
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
}

const notRegistered: RouteRefusal = { status: 404, body: '404 page not found\n' };
const notFound: RouteRefusal = { status: 404, body: '404: Page Not Found' };
const disabled = (what: string): RouteRefusal => ({ status: 405, body: `${what}\n` });
const debugDisabled = disabled('Debug endpoints are disabled.');

const onlyGet = ['GET'];
const onlyPost = ['POST'];
const getOrPost = ['GET', 'POST'];

type Take = (rest: string[]) => Route | undefined;

/** What lies below a first segment. */
interface Service {
  methods: readonly string[];
  take: Take;
  /** Why not; undefined if it answers. */
  refusal?(switches: RouteSwitches): RouteRefusal | undefined;
}

const only =
  (route: Route): Take =>
  (rest) =>
    rest.length === 0 ? route : undefined;

/** `{namespace}/{pod}/{container}`, and where a UID may be named `{namespace}/{pod}/{uid}/{container}`. */
const containerOf =
  (name: 'containerLogs' | 'exec' | 'attach' | 'run' | 'checkpoint', withUid: boolean): Take =>
  (rest) => {
    const [namespace = '', pod = '', third = '', fourth] = rest;
    if (rest.length === 3) return { name, target: { namespace, pod, container: third } };
    return rest.length === 4 && withUid ? { name, target: { namespace, pod, uid: third, container: fourth ?? '' } } : undefined;
  };

const podOf: Take = (rest) => {
  const [namespace = '', pod = '', uid] = rest;
  if (rest.length !== 2 && rest.length !== 3) return undefined;
  return { name: 'portForward', target: { namespace, pod, ...(uid !== undefined && { uid }), container: '' } };
};

const whileDebugging = ({ enableDebuggingHandlers: isOn = true }: RouteSwitches) => (isOn ? undefined : debugDisabled);
const unlessUnregistered = ({ enableDebuggingHandlers: isOn = true }: RouteSwitches) => (isOn ? undefined : notRegistered);

const services: ReadonlyMap<string, Service> = new Map<string, Service>([
  ['pods', { methods: onlyGet, take: only({ name: 'pods' }) }],
  ['stats', { methods: getOrPost, take: ([page, ...rest]) => (page === 'summary' ? only({ name: 'summary' })(rest) : undefined) }],
  ['containerLogs', { methods: onlyGet, take: containerOf('containerLogs', false), refusal: whileDebugging }],
  ['exec', { methods: getOrPost, take: containerOf('exec', true), refusal: whileDebugging }],
  ['attach', { methods: getOrPost, take: containerOf('attach', true), refusal: whileDebugging }],
  ['portForward', { methods: getOrPost, take: podOf, refusal: whileDebugging }],
  ['run', { methods: onlyPost, take: containerOf('run', true), refusal: whileDebugging }],
  ['runningpods', { methods: onlyGet, take: only({ name: 'runningpods' }), refusal: whileDebugging }],
  ['checkpoint', { methods: onlyPost, take: containerOf('checkpoint', false), refusal: unlessUnregistered }],
  [
    'logs',
    {
      methods: onlyGet,
      take: (rest) => ({ name: 'logs', rest: rest.join('/') }),
      refusal: ({ enableSystemLogHandler: isOn = true, ...switches }) =>
        whileDebugging(switches) ?? (isOn ? undefined : disabled('logs endpoint is disabled.')),
    },
  ],
]);

/** Paths that are what they are: without a slash at the end, and for any method. */
const pages: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/configz', { name: 'configz' }],
  ['/debug/flags/v', { name: 'flags' }],
  ['/metrics', { name: 'metrics', page: 'kubelet' }],
  ...(['cadvisor', 'resource', 'probes', 'slis'] as const).map((page): [string, Route] => [`/metrics/${page}`, { name: 'metrics', page }]),
]);

/**
 * Where a request goes on, by its decoded path. A path that is not in its shortest form (`//`, `/../`) leads nowhere, so that what was
 * allowed and what is done cannot differ. Kubernetes documentation: Kubelet authentication/authorization has the list of paths.
 */
export function route(method: string, path: string, switches: RouteSwitches = {}): Route | RouteRefusal {
  const page = pages.get(path);
  if (page !== undefined) return pageRoute(page, switches);
  if (path === '/healthz' || path.startsWith('/healthz/')) return { name: 'healthz' };
  const [before, first = '', ...rest] = path.split('/');
  if (rest.at(-1) === '') rest.pop();
  if (before !== '' || rest.some((segment) => segment === '' || segment === '.' || segment === '..')) return notRegistered;
  if (first === 'ui') return switches.ui === true ? { name: 'ui' } : notRegistered;
  if (first === 'debug') return pprofRoute(method, rest, switches);
  const service = services.get(first);
  if (service === undefined) return notRegistered;
  const refusal = service.refusal?.(switches);
  if (refusal !== undefined) return refusal;
  const found = service.take(rest);
  if (found === undefined) return notFound;
  return service.methods.includes(method) ? found : wrongMethod(service.methods);
}

function pageRoute(page: Route, { enableDebuggingHandlers = true, enableDebugFlagsHandler = true }: RouteSwitches): Route | RouteRefusal {
  if (page.name === 'metrics' || enableDebuggingHandlers) {
    return page.name === 'flags' && !enableDebugFlagsHandler ? disabled('flags endpoint is disabled.') : page;
  }
  return notRegistered;
}

function pprofRoute(method: string, [first, ...rest]: string[], switches: RouteSwitches): Route | RouteRefusal {
  if (first !== 'pprof') return notRegistered;
  const refusal = whileDebugging(switches);
  if (refusal !== undefined) return refusal;
  if (switches.enableProfilingHandler === false) return disabled('profiling endpoint is disabled.');
  return method === 'GET' ? { name: 'pprof', rest: rest.join('/') } : wrongMethod(onlyGet);
}

const wrongMethod = (methods: readonly string[]): RouteRefusal => ({
  status: 405,
  body: '405: Method Not Allowed',
  headers: { allow: methods.join(', ') },
});
