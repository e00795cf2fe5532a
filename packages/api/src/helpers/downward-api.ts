import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';
import type { Container } from '../objects/container.js';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../objects/downward-api.js';
import type { ObjectMeta, ResourceList } from '../objects/meta.js';
import type { Pod } from '../objects/pod.js';
import { qualifiedNameProblems } from './names.js';
import { Quantity } from './quantity.js';
import { quoteText } from './text.js';

/** Values of a pod for environment variables that its spec and metadata do not contain. */
export interface PodRuntimeFacts {
  /** The pod's addresses, the primary one first, at most one of each family. */
  podIPs: readonly string[];
  /** The node's addresses, the primary one first. */
  hostIPs: readonly string[];
}

function unsupported(message: string, fieldPath: string): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.unsupportedFieldPath, message, { details: { fieldPath } });
}

/** Map entries as the downward API writes them: sorted lines `key="quoted value"`. */
function formatMap(map: Readonly<Record<string, string>> | null | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${quoteText(value)}`)
    .join('\n');
}

/**
 * A field of an object's metadata as text, for downward API volumes and environment variables: name, namespace, uid, labels and
 * annotations, the latter two as a whole or one key, `metadata.labels['key']`. Throws `UnsupportedFieldPath`.
 */
export function fieldPathValue(metadata: ObjectMeta | undefined, fieldPath: string): string {
  const subscripted = splitSubscript(fieldPath);
  if (subscripted) {
    const { path, key } = subscripted;
    const isLabel = path === 'metadata.labels';
    if (!isLabel && path !== 'metadata.annotations')
      throw unsupported(`fieldPath ${quoteText(fieldPath)} does not support subscript`, fieldPath);
    const problems = qualifiedNameProblems(isLabel ? key : key.toLowerCase());
    if (problems.length > 0) throw unsupported(`invalid key subscript in ${fieldPath}: ${problems.join(';')}`, fieldPath);
    const map = (isLabel ? metadata?.labels : metadata?.annotations) ?? {};
    return Object.hasOwn(map, key) ? (map[key] ?? '') : '';
  }
  switch (fieldPath) {
    case 'metadata.annotations':
      return formatMap(metadata?.annotations);
    case 'metadata.labels':
      return formatMap(metadata?.labels);
    case 'metadata.name':
      return metadata?.name ?? '';
    case 'metadata.namespace':
      return metadata?.namespace ?? '';
    case 'metadata.uid':
      return metadata?.uid ?? '';
    default:
      throw unsupported(`unsupported fieldPath: ${fieldPath}`, fieldPath);
  }
}

/** `metadata.labels['key']` in its two parts. */
function splitSubscript(fieldPath: string): { path: string; key: string } | undefined {
  const open = fieldPath.indexOf("['");
  if (open <= 0 || !fieldPath.endsWith("']") || open + 2 > fieldPath.length - 2) return undefined;
  return { path: fieldPath.slice(0, open), key: fieldPath.slice(open + 2, -2) };
}

/** A `fieldRef` of an environment variable. Throws `UnsupportedFieldPath`. Kubernetes documentation, "Downward API: available fields". */
export function podFieldValue({ apiVersion, fieldPath }: ObjectFieldSelector, pod: Pod, facts: PodRuntimeFacts): string {
  if (apiVersion !== undefined && apiVersion !== 'v1') throw unsupported(`unsupported pod version: ${apiVersion}`, fieldPath);
  switch (fieldPath) {
    case 'spec.nodeName':
    case 'spec.host':
      return pod.spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return facts.hostIPs[0] ?? '';
    case 'status.hostIPs':
      return facts.hostIPs.join(',');
    case 'status.podIP':
      return facts.podIPs[0] ?? '';
    case 'status.podIPs':
      return facts.podIPs.join(',');
    default:
      if (!isFieldLabel(fieldPath)) throw unsupported(`field label not supported: ${fieldPath}`, fieldPath);
      return fieldPathValue(pod.metadata, fieldPath);
  }
}

/** Whether the API lets an environment variable name this field, even if a container cannot have it. */
function isFieldLabel(fieldPath: string): boolean {
  return (
    /^metadata\.(annotations|labels)(\['.*'\])?$/s.test(fieldPath) ||
    /^(metadata\.(name|namespace|uid)|spec\.(restartPolicy|schedulerName)|status\.phase)$/.test(fieldPath)
  );
}

/** Resources whose missing limit has a default. */
const defaultedLimits = ['cpu', 'memory', 'ephemeral-storage'];

/**
 * A container's resource in units of the divisor, rounded up, as text. `defaults` has the limits that apply to a container without one.
 * Throws `UnsupportedResource`.
 */
export function containerResourceValue(
  { resource, divisor }: Pick<ResourceFieldSelector, 'resource' | 'divisor'>,
  container: Pick<Container, 'resources'>,
  defaults: ResourceList = {},
): string {
  const [, kind, name] = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.*)$/s.exec(resource) ?? [];
  if (kind === undefined || name === undefined) {
    throw new NodeAgentError(apiErrorCodes.unsupportedResource, `unsupported container resource : ${resource}`, { details: { resource } });
  }
  let amount = Quantity.parse(container.resources?.[kind === 'limits' ? 'limits' : 'requests']?.[name] ?? '0');
  const byDefault = defaults[name];
  if (kind === 'limits' && amount.isZero && byDefault !== undefined && defaultedLimits.includes(name)) amount = Quantity.parse(byDefault);
  const unit = Quantity.parse(divisor ?? '0');
  return name === 'cpu'
    ? inUnits(amount.milliValue(), unit.isZero ? 1000n : unit.milliValue())
    : inUnits(amount.value(), unit.isZero ? 1n : unit.value());
}

/** The quotient rounded up, with the precision of a double as the kubelet computes it. */
function inUnits(amount: bigint, unit: bigint): string {
  const quotient = Math.ceil(Number(amount) / Number(unit));
  return Number.isFinite(quotient) ? BigInt.asIntN(64, BigInt(quotient)).toString() : '0';
}

/** The pod-level limits; 0 is no limit. */
function podLevelLimits(pod: Pod): ResourceList {
  const limits = Object.entries(pod.spec?.resources?.limits ?? {});
  return Object.fromEntries(limits.filter(([, amount]) => !Quantity.parse(amount).isZero));
}

/**
 * A `resourceFieldRef`: of the named regular or init container, else of `own`. The default of a limit is the pod-level limit, else the
 * node's allocatable amount. Throws `ContainerNotFound` and `UnsupportedResource`.
 */
export function resourceFieldValue(selector: ResourceFieldSelector, pod: Pod, own?: Container, nodeAllocatable?: ResourceList): string {
  const { containerName } = selector;
  const container =
    own && !containerName
      ? own
      : [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find((each) => each.name === containerName);
  if (!container) {
    throw new NodeAgentError(apiErrorCodes.containerNotFound, `container ${containerName ?? ''} not found`, { details: { containerName } });
  }
  return containerResourceValue(selector, container, { ...nodeAllocatable, ...podLevelLimits(pod) });
}
