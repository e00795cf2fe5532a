import {
  type Container,
  errorMessage,
  type ObjectMeta,
  type Pod,
  type ResourceFieldSelector,
  type ResourceList,
  type Service,
} from '@nodeagent/api';
import {
  containerResourceValue,
  type EnvironmentVariable,
  expand,
  expandContainerArgs,
  expandContainerCommand,
  fieldPathValue,
  makeEnvironmentVariables,
  parseEnvFile,
  reportedPodIPs,
  resourceFieldValue,
  serviceEnvironment,
} from '@nodeagent/api/helpers';
import { expandSubPathExpr } from '@nodeagent/runtime-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';
import { keyProblems, unrecordedErrorText } from '../masks.js';

/** What the function answers, or the text of its error. */
function attempt<T>(answer: () => T): T | { error: string } {
  try {
    return answer();
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

function expansion({ text, maps }: { text: string; maps: Record<string, string>[] }) {
  const holder = (name: string) => maps.find((map) => Object.hasOwn(map, name));
  return { result: expand(text, (name) => holder(name)?.[name]) };
}

interface ExpandCommandInput {
  command: string[] | null;
  args: string[] | null;
  env: EnvironmentVariable[] | null;
  subPathExpr: string;
}

function expandCommand({ command, args, env, subPathExpr }: ExpandCommandInput) {
  const container = { command: command ?? undefined, args: args ?? undefined };
  return {
    command: expandContainerCommand(container, env ?? []),
    args: expandContainerArgs(container, env ?? []),
    subPath: attempt(() => expandSubPathExpr(subPathExpr, env ?? [])),
  };
}

interface MakeEnvInput {
  pod: Pod;
  podIPs: string[] | null;
  hostIP: string;
  services: Service[];
  servicesSynced: boolean;
  configMaps: Record<string, Record<string, string>>;
  secrets: Record<string, Record<string, string>>;
  nodeAllocatable: ResourceList;
}

function makeEnv({ pod, podIPs, hostIP, services, servicesSynced, configMaps, secrets, nodeAllocatable }: MakeEnvInput) {
  return attempt(() => {
    const [container] = pod.spec?.containers ?? [];
    const environment = makeEnvironmentVariables(pod, container as Container, {
      podIPs: reportedPodIPs(podIPs ?? [], [hostIP], pod.spec?.hostNetwork ?? false),
      hostIPs: [hostIP],
      nodeAllocatable,
      services: servicesSynced ? services : undefined,
      configMap: (name) => configMaps[name],
      secret: (name) => secrets[name],
      envFile: () => undefined,
    });
    return { env: Object.fromEntries(environment.map(({ name, value }) => [name, value])) };
  });
}

interface DownwardResourceInput {
  selector: ResourceFieldSelector;
  pod: Pod;
  nodeAllocatable: ResourceList;
}

export const apiEnvironmentAdapters: Adapter[] = [
  defineAdapter('expansion', expansion),
  defineAdapter('expand-command', expandCommand),
  defineAdapter('service-env', ({ services }: { services: Service[] }) => ({ env: serviceEnvironment(services) })),
  defineAdapter('make-env', makeEnv),
  defineAdapter('env-file', ({ content, key }: { content: string; key: string }) => attempt(() => ({ value: parseEnvFile(content, key) }))),
  defineAdapter(
    'resource-field-ref',
    ({ resources, ...selector }: Container & ResourceFieldSelector) =>
      attempt(() => ({ value: containerResourceValue({ ...selector, divisor: selector.divisor ?? undefined }, { resources }) })),
    { masks: [unrecordedErrorText] },
  ),
  defineAdapter(
    'downward-fieldpath',
    ({ fieldPath, metadata }: { fieldPath: string; metadata: ObjectMeta }) =>
      attempt(() => ({ value: fieldPathValue(metadata, fieldPath) })),
    { masks: [keyProblems] },
  ),
  defineAdapter('downward-resource', ({ selector, pod, nodeAllocatable }: DownwardResourceInput) =>
    attempt(() => ({ value: resourceFieldValue(selector, pod, undefined, nodeAllocatable) })),
  ),
];
