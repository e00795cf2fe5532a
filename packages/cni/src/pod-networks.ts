import { checkOptionNames, errorMessage, invalidOption, type Logger, NodeAgentError, type PodIdentity, silentLogger } from '@nodeagent/api';
import { createOperationQueue } from './attach/operation-queue.js';
import { type PodNetworkConfig, podArgs, podCapabilities } from './attach/pod-args.js';
import type { Cni } from './cni.js';
import { cniErrorCodes } from './errors.js';
import { podIPsOf } from './result/pod-ips.js';
import type { CniAttachment, CniResult } from './types.js';

/**
 * Network namespaces that exist without a process in them, each bound to a file that is named after a container. A killed process leaves none that
 * `list` does not return.
 */
export interface NetworkNamespaces {
  /**
   * Creates the namespace with its loopback interface up, and returns its path. Rejects with `NetworkNamespaceFailed`, also if it exists.
   * @param existing - path of a namespace to bind in place of a new one: `PodNetworkRequest.namespace`
   */
  create(containerId: string, signal?: AbortSignal, existing?: string): Promise<string>;
  /** The path of the namespace; undefined if there is none, as after a restart of the machine. */
  find(containerId: string): Promise<string | undefined>;
  /** Idempotent. The kernel removes the namespace once no process is in it. */
  remove(containerId: string): Promise<void>;
  /** The IDs of the containers that have a namespace, also an unfinished one. */
  list(): Promise<string[]>;
}

/** A pod sandbox that needs a network. */
export interface PodNetworkRequest extends PodNetworkConfig, Pick<CniAttachment, 'network' | 'ifName'> {
  containerId: string;
  pod: PodIdentity;
  /**
   * Path of a network namespace without interfaces that the pod gets, such as `/proc/PID/ns/net` of a process in a user namespace, which owns it: then root
   * in the user namespace administers the network. It need not exist after the call. Default: a new namespace.
   */
  namespace?: string;
}

/** A pod's network. */
export interface PodNetwork {
  /** Path of the network namespace. */
  netns: string;
  /** The addresses of the pod, in the order of its `podIPs`. */
  ips: string[];
  result: CniResult;
}

export interface PodNetworksOptions {
  cni: Cni;
  namespaces: NetworkNamespaces;
  logger?: Logger;
}

/** The networks of pods, as RunPodSandbox and StopPodSandbox of a container runtime set them up. Calls may run concurrently. */
export interface PodNetworks {
  /**
   * Creates a network namespace and attaches it. If that fails, leaves nothing behind, and rejects with the plugin's error, whose message begins
   * with `failed to setup network for sandbox`.
   */
  setUp(request: PodNetworkRequest, signal?: AbortSignal): Promise<PodNetwork>;
  /** Calls DEL for each attachment of the container, then removes the namespace. Idempotent. An error keeps the namespace: call it again. */
  tearDown(containerId: string, signal?: AbortSignal): Promise<void>;
  /**
   * Call it at the start: tears down what a killed process left, the attachments and namespaces of containers that are not in use. Rejects with an
   * `AggregateError` if some cannot be torn down; the next call tries them again.
   */
  recover(isInUse: (containerId: string) => boolean, signal?: AbortSignal): Promise<void>;
}

export function createPodNetworks(options: PodNetworksOptions): PodNetworks {
  checkOptionNames<PodNetworksOptions>('createPodNetworks', options, { cni: true, namespaces: true, logger: true });
  const { cni, namespaces, logger = silentLogger } = options;
  if (cni === undefined) throw invalidOption('cni', 'an object', cni);
  if (namespaces === undefined) throw invalidOption('namespaces', 'an object', namespaces);
  // The plugins are limited by `cni`: here only the order of one container's calls counts.
  const queue = createOperationQueue(Number.POSITIVE_INFINITY);

  async function detach(containerId: string, signal?: AbortSignal): Promise<void> {
    const path = await namespaces.find(containerId);
    const attachments = await cni.attachments(containerId);
    for (const { network, ifName } of attachments) await cni.del({ containerId, netns: path ?? '', network, ifName }, signal);
    // An entry may be lost, but not the namespace: then DEL of the default network has its chance.
    if (attachments.length === 0 && path !== undefined) await cni.del({ containerId, netns: path }, signal);
    await namespaces.remove(containerId);
  }

  async function attach(request: PodNetworkRequest, signal: AbortSignal | undefined): Promise<PodNetwork> {
    const { containerId, pod, network, ifName, namespace } = request;
    const netns = await namespaces.create(containerId, signal, namespace).catch((error: unknown) => {
      throw setUpFailed(containerId, error);
    });
    try {
      const attachment = { containerId, netns, ...(network !== undefined && { network }), ...(ifName !== undefined && { ifName }) };
      const pods = { args: podArgs(containerId, pod), capabilityArgs: podCapabilities(request) };
      const result = await cni.add({ ...attachment, ...pods }, signal);
      return { netns, ips: podIPsOf(result, ifName), result };
    } catch (error) {
      await detach(containerId).catch((err: unknown) => {
        logger.warn({ podSandboxID: containerId, err }, 'failed to tear down the network of a sandbox that failed');
      });
      throw setUpFailed(containerId, error);
    }
  }

  return {
    setUp: (request, signal) => queue.run(request.containerId, () => attach(request, signal), signal),
    tearDown: (containerId, signal) => queue.run(containerId, () => detach(containerId, signal), signal),
    async recover(isInUse, signal) {
      await queue.runAlone(async () => {
        await cni.endOrphans(signal);
        const attached = (await cni.attachments()).map(({ containerId }) => containerId);
        const unused = [...new Set([...attached, ...(await namespaces.list())])].filter((containerId) => !isInUse(containerId));
        const errors: unknown[] = [];
        for (const containerId of unused) await detach(containerId, signal).catch((error) => errors.push(error));
        signal?.throwIfAborted();
        if (errors.length > 0) throw new AggregateError(errors, `cannot remove unused networks: ${errors.map(errorMessage).join('; ')}`);
      }, signal);
    },
  };
}

function setUpFailed(containerId: string, cause: unknown): NodeAgentError {
  const { code, retryable = true, hint, details } = cause as Partial<NodeAgentError>;
  return new NodeAgentError(
    typeof code === 'string' ? code : cniErrorCodes.pluginFailed,
    `failed to setup network for sandbox "${containerId}": ${errorMessage(cause)}`,
    { cause, retryable, ...(hint !== undefined && { hint }), ...(details && { details }) },
  );
}
