import type { CallOptions, RuntimeService } from '@nodeagent/cri-api';

/** A call with one response. */
export type CriCall<Request, Response> = (request: Request, options?: CallOptions) => Promise<Response>;

/** What the runtime manager knows of a method. */
interface CriMethodFacts<Request, Response> {
  /** The operation in the kubelet's metrics. */
  kubeletName: string;
  /** The deadline of a call in milliseconds, given that of most calls; 0 for none. Default: that of most calls. */
  timeout?: (timeoutMs: number, request: Request) => number;
  /** The field that each response must have: a missing list must not count as an empty one. */
  required?: keyof Response & string;
}

/** The facts of any method. */
type AnyFacts = CriMethodFacts<never, Record<string, unknown>>;

type FactsOf<Service> = {
  [Name in keyof Service]: Service[Name] extends CriCall<infer Request, infer Response> ? CriMethodFacts<Request, Response> : never;
};

/** Checks each row by the types of its method. */
const table = <Name extends keyof RuntimeService>(rows: Pick<FactsOf<RuntimeService>, Name>): Readonly<Record<Name, AnyFacts>> => rows;

/** The methods of the RuntimeService that the runtime manager calls. */
export const criMethods = table({
  version: { kubeletName: 'version' },
  status: { kubeletName: 'status' },
  // It may pull the sandbox image and sets up the network.
  runPodSandbox: { kubeletName: 'run_podsandbox', timeout: (timeoutMs) => 2 * timeoutMs, required: 'podSandboxId' },
  stopPodSandbox: { kubeletName: 'stop_podsandbox' },
  removePodSandbox: { kubeletName: 'remove_podsandbox' },
  podSandboxStatus: { kubeletName: 'podsandbox_status' },
  listPodSandbox: { kubeletName: 'list_podsandbox', required: 'items' },
  createContainer: { kubeletName: 'create_container', required: 'containerId' },
  startContainer: { kubeletName: 'start_container' },
  stopContainer: { kubeletName: 'stop_container', timeout: (timeoutMs, { timeout = 0n }) => timeoutMs + Number(timeout) * 1000 },
  removeContainer: { kubeletName: 'remove_container' },
  listContainers: { kubeletName: 'list_containers', required: 'containers' },
  containerStatus: { kubeletName: 'container_status' },
  containerStats: { kubeletName: 'container_stats' },
  updateContainerResources: { kubeletName: 'update_container' },
  updatePodSandboxResources: { kubeletName: 'update_podsandbox_resources' },
  // The command of a hook runs until the container is killed.
  execSync: { kubeletName: 'exec_sync', timeout: () => 0 },
  exec: { kubeletName: 'exec', required: 'url' },
  attach: { kubeletName: 'attach', required: 'url' },
  portForward: { kubeletName: 'port_forward', required: 'url' },
  updateRuntimeConfig: { kubeletName: 'update_runtime_config' },
});

/** The CRI RuntimeService methods that the runtime manager uses. */
export type CriRuntime = Pick<RuntimeService, keyof typeof criMethods>;

/** Any method of the table, with its name as the CRI spells it: `ListContainers`. */
export interface CriMethod extends AnyFacts {
  name: string;
}

/** A call of any method; only its wrappers use the type. */
export type AnyCriCall = CriCall<never, object>;

/** The runtime with each call wrapped. */
export function wrapCri(cri: CriRuntime, wrap: (method: CriMethod, call: AnyCriCall) => AnyCriCall): CriRuntime {
  const wrapped = Object.entries(criMethods).map(([key, facts]) => {
    const method: AnyCriCall = cri[key as keyof CriRuntime];
    const name = key[0]?.toUpperCase() + key.slice(1);
    return [key, wrap({ ...facts, name }, (request, options) => method.call(cri, request, options))];
  });
  return Object.fromEntries(wrapped);
}
