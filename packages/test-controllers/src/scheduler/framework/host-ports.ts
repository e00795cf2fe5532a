import type { Pod } from '@nodeagent/api';
import { isSidecar } from '@nodeagent/api/helpers';

/** A host port of a pod. */
export interface HostPort {
  ip: string;
  port: number;
  protocol: string;
}

/** The ports of a pod's containers and sidecars on its node. */
export function hostPortsOf({ spec }: Pod): HostPort[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)];
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort ? [{ ip: hostIP || '0.0.0.0', port: hostPort, protocol: protocol ?? 'TCP' }] : [],
    ),
  );
}

/** Whether two pods would listen on the same address of the node; `0.0.0.0` is every address. */
export function portsClash(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0');
}
