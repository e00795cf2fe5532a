import { errorMessage, type Logger, type Node, type Pod, silentLogger } from '@nodeagent/api';
import { isCriticalPod, parseResourceList, podUid } from '@nodeagent/api/helpers';
import { describeFailure, fitFailures, type PredicateFailure, platformRefusal, type Refusal } from './predicates.js';
import { missingAmount, type ResourceRequirement } from './requirement.js';

/** The pod to admit, and the other pods on the node with the resources that they were granted. */
export interface PredicateAdmitAttributes {
  pod: Pod;
  otherPods: readonly Pod[];
}

/** The result. The reason and message of a rejection go into the pod's status, whose phase becomes Failed. */
export type PredicateAdmitResult = { admit: true } | ({ admit: false } & Refusal);

export interface PredicateAdmitHandlerOptions {
  /** The last known Node, or the one that the agent registers; rejects if there is none yet. */
  node(): Node | Promise<Node>;
  /**
   * The number of devices in use by resource, if the pod has devices: the node offers no fewer, whatever their health. Default: none.
   */
  devicesInUse?(podUID: string): Readonly<Record<string, number>>;
  /** Reads the Node from the API server, after a pod failed only for its node affinity: cached labels may be stale. Default: none. */
  fetchNode?(signal?: AbortSignal): Promise<Node>;
  /**
   * Kills some of the other pods so that a critical pod fits, see {@link preemptionVictims}; resolves when the resources are free. Default:
   * critical pods are rejected like others.
   */
  preempt?(attributes: PredicateAdmitAttributes, missing: readonly ResourceRequirement[], signal?: AbortSignal): Promise<void>;
  /** Default `linux`. */
  operatingSystem?: string;
  logger?: Logger;
}

/** A pod admit handler that checks the scheduler's predicates. */
export interface PredicateAdmitHandler {
  /** Rejects only with the signal's reason. One call at a time. */
  admit(attributes: PredicateAdmitAttributes, signal?: AbortSignal): Promise<PredicateAdmitResult>;
}

/** Creates a handler that checks the predicates on the node: static pods have no scheduler, and the node may have changed since. */
export function createPredicateAdmitHandler(options: PredicateAdmitHandlerOptions): PredicateAdmitHandler {
  const { operatingSystem = 'linux', logger = silentLogger } = options;

  const failuresOn = async (node: Node, { pod, otherPods }: PredicateAdmitAttributes, signal?: AbortSignal) => {
    const offered = (on: Node) => offerDevicesInUse(on, options.devicesInUse?.(podUid(pod)) ?? {});
    const failures = fitFailures(pod, offered(node), otherPods);
    if (options.fetchNode === undefined || failures.length === 0 || !failures.every(isNodeAffinity)) return failures;
    try {
      return fitFailures(pod, offered(await options.fetchNode(signal)), otherPods);
    } catch (error) {
      signal?.throwIfAborted();
      logger.warn({ err: error }, 'cannot get the node to check its current labels');
      return failures;
    }
  };

  /** The failures that remain after preemption. Pods are killed only if all failures are shortages. */
  const withPreemption = async (attributes: PredicateAdmitAttributes, failures: PredicateFailure[], signal?: AbortSignal) => {
    const { pod } = attributes;
    if (options.preempt === undefined || failures.length === 0 || !isCriticalPod(pod)) return failures;
    const others = failures.filter((failure) => !('shortage' in failure));
    if (others.length > 0) return others;
    const missing = failures.flatMap((failure) => ('shortage' in failure ? [missingAmount(failure.shortage)] : []));
    await options.preempt(attributes, missing, signal);
    return [];
  };

  return {
    async admit(attributes, signal) {
      const { pod } = attributes;
      let node: Node;
      try {
        node = await options.node();
      } catch (error) {
        logger.warn({ err: error }, 'cannot get the node to admit a pod');
        return refuse({ reason: 'InvalidNodeInfo', message: 'Kubelet cannot get node info.' });
      }
      const refusal = platformRefusal(pod, node, operatingSystem);
      if (refusal) return refuse(refusal);
      try {
        const [failure] = await withPreemption(attributes, await failuresOn(node, attributes, signal), signal);
        return failure === undefined ? { admit: true } : refuse(describeFailure(failure));
      } catch (error) {
        signal?.throwIfAborted();
        const message = `Unexpected error while attempting to recover from admission failure: ${errorMessage(error)}`;
        return refuse({ reason: 'UnexpectedAdmissionError', message });
      }
    },
  };
}

/** The Node with at least the devices in use in its allocatable resources. */
function offerDevicesInUse(node: Node, devicesInUse: Readonly<Record<string, number>>): Node {
  const allocatable = parseResourceList(node.status?.allocatable);
  const missing = Object.entries(devicesInUse).filter(([name, count]) => (allocatable.get(name)?.value() ?? 0n) < count);
  if (missing.length === 0) return node;
  const offered = Object.fromEntries(missing.map(([name, count]) => [name, `${count}`]));
  return { ...node, status: { ...node.status, allocatable: { ...node.status?.allocatable, ...offered } } };
}

const refuse = (refusal: Refusal): PredicateAdmitResult => ({ admit: false, ...refusal });

function isNodeAffinity(failure: PredicateFailure): boolean {
  return 'predicate' in failure && failure.predicate === 'NodeAffinity';
}
