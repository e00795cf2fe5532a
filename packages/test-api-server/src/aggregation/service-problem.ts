import { readyEndpoint, type ServiceSources, slicesOf } from '../network/service-endpoint.js';
import type { RemoteSpec } from './remote-spec.js';

/** The condition `Available` of an APIService without its times. */
export interface Availability {
  status: 'True' | 'False';
  reason: string;
  message: string;
}

export const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

/**
 * Why the Service of an APIService has no endpoint; undefined if it has one, or a URL: Kubernetes documentation, "Set up an Extension API
 * Server".
 */
export function serviceProblem(sources: ServiceSources, { service }: Pick<RemoteSpec, 'service'>): Availability | undefined {
  const { namespace, name, port = 443 } = service;
  if (sources.serviceUrls(namespace, name) !== undefined) return undefined;
  const subject = `service/${name} in "${namespace}"`;
  const found = sources.store.get('/services', namespace, name);
  if (found === undefined) return unavailable('ServiceNotFound', `${subject} is not present`);
  const { type = 'ClusterIP', ports = [] } = found.spec as { type?: string; ports?: { name?: string; port: number }[] };
  if (type !== 'ClusterIP') return undefined;
  const servicePort = ports.find((each) => each.port === port);
  if (servicePort === undefined) return unavailable('ServicePortError', `${subject} is not listening on port ${port}`);
  if (slicesOf(sources.store, namespace, name).length === 0)
    return unavailable('EndpointsNotFound', `cannot find endpointslices for ${subject}`);
  const portName = servicePort.name ?? '';
  if (readyEndpoint(sources.store, { namespace, name, portName })) return undefined;
  return unavailable('MissingEndpoints', `endpointslices for ${subject} have no addresses with port name "${portName}"`);
}
