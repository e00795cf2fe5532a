import { errorMessage } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import type { RequestUser } from '../access/user.js';
import type { ApiContext } from '../context.js';
import type { KeyedCertificate } from '../network/authority.js';
import { serviceEndpoint } from '../network/service-endpoint.js';
import type { ForwardToService, ServiceTarget } from '../network/service-target.js';
import type { ResourceVerb, ServedResource } from '../registry/resource.js';
import { type ApiRequest, type ApiResponse, textOf } from '../requests/request.js';
import { serviceUnavailable } from '../status.js';
import { apiServices, type RemoteSpec, remoteSpecOf } from './remote-spec.js';
import { withUser } from './user-headers.js';

/** Ports of the aggregator. */
export interface AggregatorPorts {
  context: ApiContext;
  forward: ForwardToService;
  /** The certificate for users in headers; undefined if the server has no key. */
  client(): KeyedCertificate | undefined;
}

/** The user as which this server reads what others serve. */
const aggregatorUser: RequestUser = { username: 'system:kube-aggregator', groups: ['system:masters'] };

/** Discovery waits so long for another server. */
const discoveryTimeoutMs = 5000;

/** The longest document of another server, in characters. */
const maxDocumentLength = 16 * 1024 * 1024;

/** A group and version that another server answers, with its resources if it could be reached. */
export interface RemoteGroup {
  group: string;
  version: string;
  /** The priority of the group: higher ones come first. */
  priority: number;
  resources?: ServedResource[];
}

/** Passes requests for the groups of APIServices with a Service on: Kubernetes documentation, "Kubernetes API Aggregation Layer". */
export class Aggregator {
  readonly #ports: AggregatorPorts;

  constructor(ports: AggregatorPorts) {
    this.#ports = ports;
  }

  /** Whether there are other servers. */
  get isUsed(): boolean {
    return this.#ports.context.store.list(apiServices).some((object) => remoteSpecOf(object));
  }

  /** The server that answers a path; undefined for this one. */
  find(path: string): RemoteSpec | undefined {
    const [, group, version] = /^\/+apis\/([^/]+)\/([^/]+)/.exec(path) ?? [];
    if (group === undefined || version === undefined) return undefined;
    const object = this.#ports.context.store.get(apiServices, undefined, `${version}.${group}`);
    return object && remoteSpecOf(object);
  }

  /** Forwards a request in the name of the user. Throws 503 if the server cannot be reached. */
  async forward(spec: RemoteSpec, request: ApiRequest, user: RequestUser): Promise<ApiResponse> {
    try {
      const headers = withUser(request.headers ?? {}, user);
      return await this.#ports.forward(this.#target(spec), { ...request, headers });
    } catch (error) {
      throw serviceUnavailable(`error trying to reach service: ${errorMessage(error)}`);
    }
  }

  /** What other servers answer, as discovery shows it. */
  async groups(): Promise<RemoteGroup[]> {
    return Promise.all(
      this.#specs().map(async (spec) => {
        const { group, version, groupPriorityMinimum: priority = 0 } = spec;
        const list = await this.#read(spec, `/apis/${group}/${version}`).catch(() => undefined);
        return { group, version, priority, ...(list && { resources: resourcesOf(spec, (list.resources ?? []) as DiscoveredResource[]) }) };
      }),
    );
  }

  /** The paths of the OpenAPI documents of other servers that can be reached, with their URLs: entries of the index `/openapi/v3`. */
  async openApiPaths(): Promise<Record<string, unknown>> {
    const entries = this.#specs().map(async (spec) => {
      const path = `apis/${spec.group}/${spec.version}`;
      const index = await this.#read(spec, '/openapi/v3').catch(() => undefined);
      const entry = isObject(index?.paths) ? index.paths[path] : undefined;
      return entry === undefined ? [] : [[path, entry] as const];
    });
    return Object.fromEntries((await Promise.all(entries)).flat());
  }

  /** The documents `/openapi/v2` of other servers that can be reached. */
  async openApiV2(): Promise<Record<string, unknown>[]> {
    const documents = this.#specs().map((spec) => this.#read(spec, '/openapi/v2').catch(() => undefined));
    return (await Promise.all(documents)).filter((document) => document !== undefined);
  }

  /** Why the discovery of another server cannot be read; undefined if it can. */
  async discoveryProblem(spec: RemoteSpec): Promise<string | undefined> {
    const { service, group, version } = spec;
    const url = `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}/apis/${group}/${version}`;
    return this.#read(spec, `/apis/${group}/${version}`).then(
      () => undefined,
      (error) => `failing or missing response from ${url}: ${errorMessage(error)}`,
    );
  }

  #specs(): RemoteSpec[] {
    return this.#ports.context.store.list(apiServices).flatMap((object) => remoteSpecOf(object) ?? []);
  }

  /** Reads a JSON object. Rejects if there is none. */
  async #read(spec: RemoteSpec, url: string): Promise<Record<string, unknown>> {
    const over = new AbortController();
    const timer = this.#ports.context.clock.setTimeout(() => over.abort(), discoveryTimeoutMs);
    try {
      const request = { url, headers: { accept: 'application/json' }, signal: over.signal };
      const { status, body } = await this.forward(spec, request, aggregatorUser);
      const value: unknown = status === 200 ? JSON.parse(await textOf({ body }, maxDocumentLength)) : undefined;
      if (isObject(value)) return value;
      throw new Error(`bad status from ${url}: ${status}`);
    } finally {
      timer.cancel();
    }
  }

  #target({ service, caBundle, insecureSkipTLSVerify }: RemoteSpec): ServiceTarget {
    const { context, client } = this.#ports;
    const { namespace, name, port = 443 } = service;
    const { endpoint, unreachable } = serviceEndpoint(context, { namespace, name, port });
    if (!endpoint) throw new Error(unreachable);
    const identity = client();
    return {
      endpoint,
      ...(!insecureSkipTLSVerify && { serverName: `${name}.${namespace}.svc` }),
      ...(caBundle && { ca: atob(caBundle) }),
      ...(identity && { client: identity }),
    };
  }
}

interface DiscoveredResource {
  name: string;
  singularName?: string;
  namespaced?: boolean;
  kind: string;
  verbs?: ResourceVerb[];
  shortNames?: string[];
  categories?: string[];
}

function resourcesOf({ group, version }: RemoteSpec, list: readonly DiscoveredResource[]): ServedResource[] {
  return list
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, singularName = '', namespaced = false, kind, verbs = [], shortNames = [], categories = [] }) => ({
      ...{
        group,
        version,
        resource: name,
        singular: singularName,
        kind,
        listKind: `${kind}List`,
        namespaced,
        shortNames,
        categories,
        verbs,
      },
      subresources: list
        .filter((part) => part.name.startsWith(`${name}/`))
        .map((part) => ({ name: part.name.slice(name.length + 1), kind: part.kind, verbs: part.verbs ?? [] })),
      ...{ countsGenerations: false, selectableFields: {}, storage: `${group}/${name}` },
    }));
}
