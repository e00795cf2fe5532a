import type { ConfigMap, Secret, Service } from '../objects/config.js';
import type { Container, FileKeySelector } from '../objects/container.js';
import type { ResourceList } from '../objects/meta.js';
import type { Pod } from '../objects/pod.js';
import { decodeBase64 } from './base64.js';
import type { PodRuntimeFacts } from './downward-api.js';
import type { EnvironmentSources } from './environment.js';
import { decodeUtf8 } from './utf8.js';

/** Functions that read the sources of a container's environment. Omit those that need an API server if there is none. */
export interface EnvironmentPorts {
  /** The known services; undefined until the first list was received. */
  listServices?(): readonly Service[] | undefined;
  /** Resolves to undefined if there is no such object; rejects on any other failure. */
  getConfigMap?(namespace: string, name: string, signal?: AbortSignal): Promise<ConfigMap | undefined>;
  getSecret?(namespace: string, name: string, signal?: AbortSignal): Promise<Secret | undefined>;
  /** The content of a file in one of the pod's volumes; undefined if there is none. Never leaves the volume. */
  readEnvFile?(pod: Pod, volumeName: string, path: string, signal?: AbortSignal): Promise<string | undefined>;
}

type Outcome<T> = { value: T | undefined } | { error: unknown };

/**
 * Fetches the objects that the container's environment refers to, each once and all concurrently. The error of a failed fetch is thrown
 * when its value is used, so that errors follow the order of the container's definition.
 */
export async function gatherEnvironmentSources(
  pod: Pod,
  container: Container,
  facts: PodRuntimeFacts & { nodeAllocatable: ResourceList },
  ports: EnvironmentPorts,
  signal?: AbortSignal,
): Promise<EnvironmentSources> {
  const namespace = pod.metadata?.namespace ?? '';
  const configMaps = new Map<string, Promise<Outcome<Record<string, string>>>>();
  const secrets = new Map<string, Promise<Outcome<Record<string, string>>>>();
  const files = new Map<string, Promise<Outcome<string>>>();
  const wantConfigMap = (ref: { name?: string } | undefined) => {
    if (ref) once(configMaps, ref.name ?? '', async (name) => plainConfigMap(await ports.getConfigMap?.(namespace, name, signal)));
  };
  const wantSecret = (ref: { name?: string } | undefined) => {
    if (ref) once(secrets, ref.name ?? '', async (name) => plainSecret(await ports.getSecret?.(namespace, name, signal)));
  };
  for (const from of container.envFrom ?? []) {
    wantConfigMap(from.configMapRef);
    wantSecret(from.secretRef);
  }
  for (const { value, valueFrom } of container.env ?? []) {
    if (value) continue;
    wantConfigMap(valueFrom?.configMapKeyRef);
    wantSecret(valueFrom?.secretKeyRef);
    const file = valueFrom?.fileKeyRef;
    if (file) once(files, fileId(file), async () => ports.readEnvFile?.(pod, file.volumeName, file.path, signal));
  }
  const [configMapData, secretData, fileData] = await Promise.all([settled(configMaps), settled(secrets), settled(files)]);
  return {
    ...facts,
    services: ports.listServices ? ports.listServices() : [],
    configMap: (name) => unwrap(configMapData.get(name)),
    secret: (name) => unwrap(secretData.get(name)),
    envFile: (selector) => unwrap(fileData.get(fileId(selector))),
  };
}

const fileId = ({ volumeName, path }: FileKeySelector) => `${volumeName}/${path}`;

function once<T>(known: Map<string, Promise<Outcome<T>>>, key: string, get: (key: string) => Promise<T | undefined>): void {
  if (known.has(key)) return;
  known.set(
    key,
    get(key).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
  );
}

async function settled<T>(pending: Map<string, Promise<Outcome<T>>>): Promise<Map<string, Outcome<T>>> {
  return new Map(await Promise.all(Array.from(pending, async ([key, outcome]) => [key, await outcome] as const)));
}

function unwrap<T>(outcome: Outcome<T> | undefined): T | undefined {
  if (outcome === undefined) return undefined;
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

const plainConfigMap = (configMap: ConfigMap | undefined) => configMap && (configMap.data ?? {});

/** A secret's values as text; undefined for no secret. */
function plainSecret(secret: Secret | undefined): Record<string, string> | undefined {
  if (secret === undefined) return undefined;
  return Object.fromEntries(Object.entries(secret.data ?? {}).map(([key, value]) => [key, decodeUtf8(decodeBase64(value))]));
}
