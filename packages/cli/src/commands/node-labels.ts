import { badUsage } from '../flags.js';

/** Reserved domains: the labels that a kubelet sets itself, and two prefixes for others. Kubernetes documentation, "NodeRestriction". */
const reserved = ['kubernetes.io', 'k8s.io'];
const allowedPrefixes = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const allowedLabels: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);

/** Throws `BAD_USAGE` for labels that a kubelet refuses at its start: with them, the API server refuses the Node. */
export function refuseReservedLabels(labels: Readonly<Record<string, string>>): void {
  const unknown = Object.keys(labels).filter((key) => isIn(key, reserved) && !isIn(key, allowedPrefixes) && !allowedLabels.has(key));
  if (unknown.length === 0) return;
  throw badUsage(
    `--node-labels: unknown 'kubernetes.io' or 'k8s.io' labels: ${unknown.sort().join(', ')}; a label there must begin with ` +
      `${allowedPrefixes.join(' or ')}, or be one of ${[...allowedLabels].sort().join(', ')}`,
  );
}

/** Whether the domain of the label is one of the domains, or below one. */
function isIn(key: string, domains: readonly string[]): boolean {
  const slash = key.indexOf('/');
  const own = slash === -1 ? '' : key.slice(0, slash);
  return domains.some((domain) => own === domain || own.endsWith(`.${domain}`));
}
