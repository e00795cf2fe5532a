import type { Pod } from '@nodeagent/api';
import { isSidecar } from '@nodeagent/api/helpers';

interface HostPort {
  ip: string;
  protocol: string;
  port: number;
}

const anyAddress = '0.0.0.0';

/** Whether another pod uses a host port that the pod requests. A port on all addresses conflicts with that port on each address. */
export function hostPortsConflict(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const used = others.flatMap(hostPorts);
  return wanted.some((a) => used.some((b) => a.port === b.port && a.protocol === b.protocol && overlap(a.ip, b.ip)));
}

function overlap(a: string, b: string): boolean {
  return a === b || a === anyAddress || b === anyAddress;
}

function hostPorts(pod: Pod): HostPort[] {
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []).filter(isSidecar)];
  return containers
    .flatMap(({ ports = [] }) => ports)
    .flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort ? [{ ip: hostIP || anyAddress, protocol: protocol || 'TCP', port: hostPort }] : [],
    );
}
