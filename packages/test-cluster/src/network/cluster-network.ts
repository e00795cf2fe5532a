import type { Clock } from '@nodeagent/api';
import {
  type AcceptedConnection,
  type HttpMessage,
  type HttpReply,
  hostOf,
  isAddress,
  type MemoryRuntime,
  NetworkError,
  type ProgramNetwork,
  portOf,
  requestTo,
} from '@nodeagent/memory-runtime';
import type { PodServers, TestApiServer } from '@nodeagent/test-api-server';
import { isSimulatedAddress } from '../machine.js';
import type { NodeLink } from '../node-link.js';
import { createApiAccess } from './api-access.js';
import { apiAddress, apiPort } from './api-address.js';
import { lookup } from './dns.js';
import type { EndpointSlice, NetworkObjects, Service } from './objects.js';
import { podServer } from './pod-server.js';
import { endpointsOfPort, type RoutedEndpoint, serviceAt } from './service-route.js';

/** When a client sends the packets of a connection that is not accepted, and when it gives up, in milliseconds since the first. */
const attemptsMs = [0, 1_000, 3_000, 7_000, 10_000];

/** The API server as the source of connections; no node has this name. */
const apiServerName = '';

/** A node as its pods' network needs it. */
interface NetworkNode {
  readonly name: string;
  readonly runtime: Pick<MemoryRuntime, 'connect' | 'sandboxes'>;
  readonly isPartitioned: boolean;
}

export interface ClusterNetworkOptions {
  clock: Clock;
  server: Pick<TestApiServer, 'handle' | 'objects' | 'revision'>;
  nodes: ReadonlyMap<string, NetworkNode>;
}

/** The network of the pods of a cluster: names, Services, and connections between nodes. */
export interface ClusterNetwork {
  /** The network of the pods on a node with this link to the API server. */
  of(nodeName: string, link: NodeLink): ProgramNetwork;
  /** The server of a pod, as the API server reaches it; undefined for an address outside of the cluster. */
  podServer: PodServers;
}

/** Creates the network of a cluster, see {@link ClusterNetwork}. Services use their endpoints in turn. */
export function createClusterNetwork({ clock, server, nodes }: ClusterNetworkOptions): ClusterNetwork {
  const objects = currentObjects(server);
  const turns = new Map<string, number>();
  /** The next one of several choices. */
  const next = <T>(key: string, choices: readonly T[]): T | undefined => {
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return choices[turn % choices.length];
  };
  const resolve = (name: string, namespace: string): string => {
    const address = isAddress(name) ? name : next(`${name} ${namespace}`, lookup(name, namespace, objects()));
    if (address === undefined) throw new NetworkError('ENOTFOUND', 'getaddrinfo', name);
    return address;
  };
  /** The endpoint behind a cluster IP; undefined: no packet gets a response. */
  const route = (address: string, port: number, nodeName: string): RoutedEndpoint | undefined => {
    const service = serviceAt(address, objects());
    if (service === undefined) return { address, port, nodeName: undefined };
    const endpoints = endpointsOfPort(service, port, nodeName, objects());
    if (endpoints?.length === 0) throw new NetworkError('ECONNREFUSED', 'connect', `${address}:${port}`);
    return endpoints && next(`${address}:${port}`, endpoints);
  };
  const connect = ({ address, port, nodeName }: RoutedEndpoint, from: string): AcceptedConnection | 'lost' => {
    const named = nodeName === undefined ? undefined : nodes.get(nodeName);
    const candidates = named ? [named] : [...nodes.values()];
    const subject = `${address}:${port}`;
    for (const node of candidates) {
      const connection = node.runtime.connect(address, port);
      if (connection === undefined) continue;
      if (isCut(node, from)) return 'lost';
      if (connection === 'refused') throw new NetworkError('ECONNREFUSED', 'connect', subject);
      return connection;
    }
    // A node that is down does not respond; one that runs reports that it has no such pod.
    if (candidates.some(({ runtime }) => runtime.sandboxes().some(({ ips }) => ips.includes(address)))) return 'lost';
    throw new NetworkError('EHOSTUNREACH', 'connect', subject);
  };
  const isCut = (node: NetworkNode, from: string) =>
    node.name !== from && (node.isPartitioned || (nodes.get(from)?.isPartitioned ?? false));

  /** Sends a request over a connection; `dial` returns `lost` while packets get no response. */
  const send = async (message: HttpMessage, subject: string, dial: () => AcceptedConnection | 'lost'): Promise<HttpReply> => {
    let waitedMs = 0;
    for (const attemptMs of attemptsMs) {
      if (attemptMs > 0) await clock.sleep(attemptMs - waitedMs, message.signal);
      waitedMs = attemptMs;
      const connection = dial();
      if (connection !== 'lost') return requestTo(connection, message);
    }
    throw new NetworkError('ETIMEDOUT', 'connect', subject);
  };
  const isOfPod = (address: string) =>
    isSimulatedAddress(address) || [...nodes.values()].some(({ runtime }) => runtime.sandboxes().some(({ ips }) => ips.includes(address)));

  return {
    of(nodeName, link) {
      const api: AcceptedConnection = { request: createApiAccess(link, server) };
      return {
        async fetch(message, { namespace }) {
          const port = portOf(message.url);
          const address = resolve(hostOf(message.url), namespace);
          const isApi = address === apiAddress && port === apiPort;
          return send(message, `${address}:${port}`, () => {
            if (isApi) return link.partition === 'silent' ? 'lost' : api;
            const target = route(address, port, nodeName);
            return target ? connect(target, nodeName) : 'lost';
          });
        },
      };
    },
    podServer(address, port) {
      if (!isOfPod(address)) return undefined;
      const target = { address, port, nodeName: undefined };
      return podServer(target, (message) => send(message, `${address}:${port}`, () => connect(target, apiServerName)));
    },
  };
}

/** The Services and EndpointSlices, read again when an object of the server has changed. */
function currentObjects(server: ClusterNetworkOptions['server']): () => NetworkObjects {
  let read: { revision: number; objects: NetworkObjects } | undefined;
  return () => {
    const { objects, revision } = server;
    if (read?.revision !== revision) {
      const services = objects.list<Service>('services');
      read = { revision, objects: { services, endpointSlices: objects.list<EndpointSlice>('endpointslices') } };
    }
    return read.objects;
  };
}
