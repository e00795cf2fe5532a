import { NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';
import type { Service } from '../objects/config.js';
import type { Container, EnvVar, FileKeySelector } from '../objects/container.js';
import type { ResourceList } from '../objects/meta.js';
import type { Pod } from '../objects/pod.js';
import { type PodRuntimeFacts, podFieldValue, resourceFieldValue } from './downward-api.js';
import { parseEnvFile } from './env-file.js';
import { type EnvironmentVariable, expand } from './expansion.js';
import { isStaticPod } from './pod.js';
import { serviceEnvironment, servicesForPod } from './service-environment.js';
import { quoteText } from './text.js';

/** The sources of a container's environment, already fetched, for example by {@link gatherEnvironmentSources}. */
export interface EnvironmentSources extends PodRuntimeFacts {
  /** The value of `resourceFieldRef` for a limit that neither the container nor the pod sets. */
  nodeAllocatable: ResourceList;
  /** Services of at least the pod's namespace and `default`; undefined until the first list was received. */
  services: readonly Service[] | undefined;
  /** The config map's data; undefined if it does not exist. Throws the error of the fetch. */
  configMap(name: string): Readonly<Record<string, string>> | undefined;
  /** The secret's data as plain text; else as `configMap`. */
  secret(name: string): Readonly<Record<string, string>> | undefined;
  /** The content of the env file; undefined if it does not exist. Throws the error of the read. */
  envFile(selector: FileKeySelector): string | undefined;
}

/**
 * A container's complete environment, each name once: `envFrom` in its order, then `env` in its order, then the service variables that
 * nothing else set. A value may refer to variables before it. The kubelet leaves the order unspecified; here it is the order of first
 * appearance. Kubernetes documentation, "Define Environment Variables for a Container".
 */
export function makeEnvironmentVariables(pod: Pod, container: Container, sources: EnvironmentSources): EnvironmentVariable[] {
  const { enableServiceLinks } = pod.spec ?? {};
  if (enableServiceLinks === undefined || enableServiceLinks === null) {
    throw new NodeAgentError(apiErrorCodes.serviceLinksUnset, 'nil pod.spec.enableServiceLinks encountered, cannot construct envvars', {
      hint: 'apply the API defaults to the pod first: enableServiceLinks is true unless set',
    });
  }
  if (sources.services === undefined && !isStaticPod(pod)) {
    throw new NodeAgentError(apiErrorCodes.servicesNotSynced, 'services have not yet been read at least once, cannot construct envvars', {
      retryable: true,
    });
  }
  const services = servicesForPod(sources.services ?? [], pod.metadata?.namespace ?? '', enableServiceLinks);
  const fromServices = new Map(serviceEnvironment(services).map(({ name, value }) => [name, value]));
  const result = new Map<string, string>();

  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const [kind, ref] = configMapRef ? (['configmaps', configMapRef] as const) : (['secrets', secretRef] as const);
    if (!ref) continue;
    const data = kind === 'configmaps' ? sources.configMap(ref.name ?? '') : sources.secret(ref.name ?? '');
    if (data === undefined && !ref.optional) throw notFound(kind, pod, ref.name);
    for (const [key, value] of Object.entries(data ?? {})) result.set(prefix + key, value);
  }
  for (const variable of container.env ?? []) {
    const value = variable.value
      ? expand(variable.value, (name) => result.get(name) ?? fromServices.get(name))
      : valueFrom(variable, pod, container, sources);
    if (value !== undefined) result.set(variable.name, value);
  }
  for (const [name, value] of fromServices) if (!result.has(name)) result.set(name, value);
  return Array.from(result, ([name, value]) => ({ name, value }));
}

/** The value of a variable that is defined by reference; undefined if it is optional and there is none. */
function valueFrom({ valueFrom: source }: EnvVar, pod: Pod, container: Container, sources: EnvironmentSources): string | undefined {
  if (source?.fieldRef) return podFieldValue(source.fieldRef, pod, sources);
  if (source?.resourceFieldRef) return resourceFieldValue(source.resourceFieldRef, pod, container, sources.nodeAllocatable);
  if (source?.configMapKeyRef)
    return keyOf('configmaps', sources.configMap(source.configMapKeyRef.name ?? ''), source.configMapKeyRef, pod);
  if (source?.secretKeyRef) return keyOf('secrets', sources.secret(source.secretKeyRef.name ?? ''), source.secretKeyRef, pod);
  if (source?.fileKeyRef) return fileKey(source.fileKeyRef, sources);
  return '';
}

type ObjectKind = 'configmaps' | 'secrets';

function keyOf(
  kind: ObjectKind,
  data: Readonly<Record<string, string>> | undefined,
  { name, key, optional }: { name?: string; key: string; optional?: boolean },
  pod: Pod,
): string | undefined {
  const value = data && Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined || optional) return value;
  if (data === undefined) throw notFound(kind, pod, name);
  const singular = kind === 'configmaps' ? 'ConfigMap' : 'Secret';
  const namespace = pod.metadata?.namespace ?? '';
  throw new NodeAgentError(apiErrorCodes.keyNotFound, `couldn't find key ${key} in ${singular} ${namespace}/${name ?? ''}`, {
    details: { kind, namespace, name, key },
  });
}

function fileKey(selector: FileKeySelector, sources: EnvironmentSources): string | undefined {
  const { key, path, optional } = selector;
  const content = sources.envFile(selector);
  let value = '';
  try {
    value = content === undefined ? '' : parseEnvFile(content, key);
  } catch (cause) {
    throw new NodeAgentError(apiErrorCodes.invalidEnvFile, "couldn't parse env file", { details: { path, key }, cause });
  }
  if (value !== '') return value;
  if (optional) return undefined;
  throw new NodeAgentError(apiErrorCodes.keyNotFound, `environment variable key ${quoteText(key)} not found in file ${quoteText(path)}`, {
    details: { key, path },
  });
}

function notFound(kind: ObjectKind, pod: Pod, name = ''): NodeAgentError {
  return new NodeAgentError(apiErrorCodes.objectNotFound, `${kind} ${quoteText(name)} not found`, {
    retryable: true,
    details: { kind, namespace: pod.metadata?.namespace ?? '', name },
  });
}
