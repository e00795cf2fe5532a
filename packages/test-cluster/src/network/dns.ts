import { apiAddress } from './api-address.js';
import { type NetworkObjects, type Service, slicesOf } from './objects.js';

const clusterDomain = 'cluster.local';
const maxAliases = 8;

/**
 * The addresses of a name, as a pod of the namespace resolves it with the policy `ClusterFirst`: of Services, of pods of headless Services, of
 * pods by address, and of the API server. Empty: there is no such name. Kubernetes documentation, "DNS for Services and Pods".
 */
export function lookup(name: string, namespace: string, objects: NetworkObjects): string[] {
  for (const candidate of candidates(name, namespace)) {
    const addresses = resolve(candidate, objects, 0);
    if (addresses.length > 0) return addresses;
  }
  return [];
}

/** Names in the order of a resolver with `ndots:5` and the search list of a namespace. */
function candidates(name: string, namespace: string): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain].map((domain) => `${name}.${domain}`);
  return name.split('.').length > 5 ? [name, ...searched] : [...searched, name];
}

function resolve(name: string, objects: NetworkObjects, aliases: number): string[] {
  if (!name.endsWith(`.${clusterDomain}`)) return [];
  const labels = name.slice(0, -clusterDomain.length - 1).split('.');
  const kind = labels.pop();
  const namespace = labels.pop() ?? '';
  if (kind === 'pod' && labels.length === 1) return podAddress(labels[0] ?? '');
  if (kind !== 'svc' || labels.length === 0 || labels.length > 2) return [];
  const [service = '', hostname] = labels.reverse();
  if (service === 'kubernetes' && namespace === 'default' && hostname === undefined) return [apiAddress];
  const found = objects.services.find(({ metadata }) => metadata?.name === service && metadata.namespace === namespace);
  return found ? serviceAddresses(found, hostname, objects, aliases) : [];
}

function serviceAddresses(service: Service, hostname: string | undefined, objects: NetworkObjects, aliases: number): string[] {
  const { type, externalName = '', clusterIP, clusterIPs } = service.spec ?? {};
  if (type === 'ExternalName') return hostname === undefined && aliases < maxAliases ? resolve(externalName, objects, aliases + 1) : [];
  if (clusterIP !== 'None') return hostname === undefined ? (clusterIPs ?? (clusterIP ? [clusterIP] : [])) : [];
  const ready = slicesOf(service, objects)
    .flatMap(({ endpoints }) => endpoints)
    .filter(({ conditions }) => conditions?.ready !== false);
  const chosen = hostname === undefined ? ready : ready.filter((each) => (each.hostname ?? dashed(each.addresses[0] ?? '')) === hostname);
  return [...new Set(chosen.flatMap(({ addresses }) => addresses))];
}

/** `10-64-0-2` is the name of 10.64.0.2. */
function podAddress(label: string): string[] {
  const address = label.replaceAll('-', '.');
  return /^\d+(\.\d+){3}$/.test(address) ? [address] : [];
}

const dashed = (address: string) => address.replaceAll(/[.:]/g, '-');
