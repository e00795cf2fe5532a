import { type NetworkObjects, type Service, slicesOf } from './objects.js';

/** An endpoint that a connection to a Service may go to. */
export interface RoutedEndpoint {
  address: string;
  port: number;
  nodeName: string | undefined;
}

/** The Service with a cluster IP. */
export function serviceAt(address: string, { services }: NetworkObjects): Service | undefined {
  return services.find(({ spec }) => spec?.clusterIP === address || spec?.clusterIPs?.includes(address));
}

/**
 * The endpoints for a connection from a node to a port of a Service: the ready ones, else those that are terminating but still serve. Empty: the
 * connection is refused; undefined: the Service does not have the port. Kubernetes documentation, "Virtual IPs and Service Proxies".
 */
export function endpointsOfPort(service: Service, port: number, nodeName: string, objects: NetworkObjects): RoutedEndpoint[] | undefined {
  const { ports = [], internalTrafficPolicy } = service.spec ?? {};
  const servicePort = ports.find((each) => each.port === port);
  if (servicePort === undefined) return undefined;
  const all = slicesOf(service, objects).flatMap(({ endpoints, ports: slicePorts }) => {
    const target = slicePorts.find(({ name = '' }) => name === (servicePort.name ?? ''))?.port;
    return target === undefined ? [] : endpoints.map((endpoint) => ({ endpoint, target }));
  });
  const near = internalTrafficPolicy === 'Local' ? all.filter(({ endpoint }) => endpoint.nodeName === nodeName) : all;
  const ready = near.filter(({ endpoint: { conditions } }) => conditions?.ready !== false);
  const terminating = near.filter(({ endpoint: { conditions } }) => conditions?.serving && conditions.terminating);
  return (ready.length > 0 ? ready : terminating).map(({ endpoint, target }) => ({
    address: endpoint.addresses[0] ?? '',
    port: target,
    nodeName: endpoint.nodeName,
  }));
}
