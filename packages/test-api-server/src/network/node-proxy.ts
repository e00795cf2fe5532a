import type { NodeStatus, Pod } from '@nodeagent/api';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import { flagOf } from '../requests/request.js';
import type { RequestInfo } from '../requests/request-info.js';
import { badRequest, internalError } from '../status.js';
import type { TestAuthority } from './authority.js';

/** How the server connects to the HTTP servers of nodes. */
export interface NodeProxyOptions {
  /** Default `https`. */
  scheme?: 'http' | 'https';
  /** Whether nodes must have a certificate that this server's authority signed (`serverTLSBootstrap`). Default false. */
  verify?: boolean;
  /** The server's client certificate for nodes that require one, PEM. Default: one of its CA, for an administrator. */
  cert?: string;
  key?: string;
}

/** The options with their defaults. */
export interface NodeProxy extends Pick<NodeProxyOptions, 'cert' | 'key'>, Required<Pick<NodeProxyOptions, 'scheme'>> {
  /** The CA of the nodes' certificates, PEM. Absent: they are not verified. */
  ca?: string;
}

/** The user as which the server calls nodes: Kubernetes documentation, "Kubelet authentication/authorization". */
const serverUser = { commonName: 'kube-apiserver', organizations: ['system:masters'] };

/** Fills in the defaults. */
export function nodeProxy({ verify, ...options }: NodeProxyOptions, authority: () => TestAuthority): NodeProxy {
  const scheme = options.scheme ?? 'https';
  return {
    scheme,
    ...(verify && { ca: authority().cert }),
    ...(scheme === 'https' && !options.cert && authority().issueClient(serverUser)),
    ...options,
  };
}

/** The target of a request on a node. */
export interface NodeTarget {
  nodeName: string;
  host: string;
  port: number;
  path: string;
}

const addressOrder = ['InternalIP', 'Hostname', 'ExternalIP', 'InternalDNS', 'ExternalDNS'];

type NodeStatusFacts = NodeStatus & { daemonEndpoints?: { kubeletEndpoint?: { Port?: number } } };

/** The address and port of a node's HTTP server, by its status: `status.addresses` and `status.daemonEndpoints`. */
export function nodeEndpoint(node: ApiObject): Omit<NodeTarget, 'path'> {
  const status = node.status as NodeStatusFacts | undefined;
  const addresses = status?.addresses ?? [];
  const host = addressOrder.map((type) => addresses.find((address) => address.type === type)?.address).find(Boolean);
  if (!host) throw internalError(`no preferred addresses found; known addresses: []`);
  return { nodeName: node.metadata.name ?? '', host, port: status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10_250 };
}

/** Subresources of pods and the kubelet's paths for them. */
const nodePaths: Readonly<Record<string, string>> = { log: 'containerLogs', exec: 'exec', attach: 'attach', portforward: 'portForward' };

/** The target of a request for a subresource of a pod, or for a node: Kubernetes documentation, "Communication between Nodes and the Control Plane". */
export function nodeTarget({ store }: ApiContext, object: ApiObject, info: RequestInfo, query: string): NodeTarget {
  const nodeNamed = (name: string) => {
    const node = store.get('/nodes', undefined, name);
    if (node === undefined) throw internalError(`node "${name}" not found`);
    return nodeEndpoint(node);
  };
  if (info.resource === 'nodes') return { ...nodeEndpoint(object), path: `/${info.rest ?? ''}${query}` };
  const { metadata, spec } = object as Pod & ApiObject;
  const { name = '', namespace = '' } = metadata;
  if (!spec?.nodeName) throw badRequest(`pod ${name} does not have a host assigned`);
  const parameters = new URLSearchParams(query);
  const parts = ['', nodePaths[info.subresource ?? ''] ?? '', namespace, name];
  if (info.subresource !== 'portforward') {
    parts.push(containerOf(spec, name, parameters.get('container')));
    parameters.delete('container');
    setFlags(parameters);
  }
  const rest = parameters.toString();
  return { ...nodeNamed(spec.nodeName), path: `${parts.map(encodeURIComponent).join('/')}${rest && `?${rest}`}` };
}

function containerOf(spec: NonNullable<Pod['spec']>, pod: string, asked: string | null): string {
  const names = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])].map(({ name }) => name);
  if (asked) {
    if (!names.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${pod}`);
    return asked;
  }
  const [only, ...more] = spec.containers;
  if (only === undefined || more.length > 0) {
    const choice = spec.containers.map(({ name }) => name).join(' ');
    throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${choice}]`);
  }
  return only.name;
}

/** The kubelet's names and values of the flags of exec and attach, and of logs. */
const nodeFlags: readonly (readonly [from: string, to: string, yes: string])[] = [
  ['stdin', 'input', '1'],
  ['stdout', 'output', '1'],
  ['stderr', 'error', '1'],
  ['tty', 'tty', '1'],
  ['follow', 'follow', 'true'],
  ['previous', 'previous', 'true'],
  ['timestamps', 'timestamps', 'true'],
];

function setFlags(parameters: URLSearchParams): void {
  for (const [from, to, yes] of nodeFlags) {
    const isSet = flagOf(parameters, from);
    parameters.delete(from);
    if (isSet) parameters.set(to, yes);
  }
}
