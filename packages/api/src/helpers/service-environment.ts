import type { Service } from '../objects/config.js';
import type { EnvironmentVariable } from './expansion.js';

/** Whether the service has a cluster IP: it is neither headless nor external. */
function hasClusterIP(service: Service): boolean {
  const address = service.spec?.clusterIP;
  return address !== undefined && address !== '' && address !== 'None';
}

/**
 * The environment variables with the addresses of services, in the order of services and their ports. If a name repeats, the last one
 * counts. Kubernetes documentation, "Service: environment variables".
 */
export function serviceEnvironment(services: readonly Service[]): EnvironmentVariable[] {
  const environment: EnvironmentVariable[] = [];
  for (const service of services) {
    const address = service.spec?.clusterIP;
    const ports = service.spec?.ports ?? [];
    const [first] = ports;
    if (!hasClusterIP(service) || address === undefined || first === undefined) continue;
    const prefix = variableName(service.metadata?.name ?? '');
    const add = (suffix: string, value: string) => environment.push({ name: `${prefix}_${suffix}`, value });
    const host = address.includes(':') ? `[${address}]` : address;
    const protocolOf = (port: { protocol?: string }) => port.protocol || 'TCP';
    const url = (port: { port: number; protocol?: string }) => `${protocolOf(port).toLowerCase()}://${host}:${port.port}`;

    add('SERVICE_HOST', address);
    add('SERVICE_PORT', String(first.port));
    for (const port of ports) if (port.name) add(`SERVICE_PORT_${variableName(port.name)}`, String(port.port));
    add('PORT', url(first));
    for (const port of ports) {
      const each = `PORT_${port.port}_${protocolOf(port).toUpperCase()}`;
      add(each, url(port));
      add(`${each}_PROTO`, protocolOf(port).toLowerCase());
      add(`${each}_PORT`, String(port.port));
      add(`${each}_ADDR`, address);
    }
  }
  return environment;
}

/**
 * The services whose variables a pod gets: `kubernetes` of the namespace `default` always, and with service links those of the pod's own
 * namespace, where a service of the same name takes precedence.
 */
export function servicesForPod(services: readonly Service[], namespace: string, enableServiceLinks: boolean): Service[] {
  const byName = new Map<string, Service>();
  for (const service of services) {
    if (!hasClusterIP(service)) continue;
    const name = service.metadata?.name ?? '';
    const own = service.metadata?.namespace === namespace;
    if (own && enableServiceLinks) byName.set(name, service);
    else if (service.metadata?.namespace === 'default' && name === 'kubernetes' && !byName.has(name)) byName.set(name, service);
  }
  return Array.from(byName.values());
}

const variableName = (text: string) => text.toUpperCase().replaceAll('-', '_');
