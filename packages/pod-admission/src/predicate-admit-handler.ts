import { errorMessage, isCriticalPod, type Logger, type Node, type Pod, silentLogger } from '@nodeagent/api';
import { describeFailure, fitFailures, type PredicateFailure, platformRefusal, type Refusal } from './predicates.js';
import { missingAmount, type ResourceRequirement } from './requirement.js';

/** What is to be admitted: the pod, and the others on the node with the resources they were granted. */
export interface PredicateAdmitAttributes {
  pod: Pod;
  otherPods: readonly Pod[];
}

/** The answer; a refusal's words become those of the pod's status, whose phase becomes Failed. */
export type PredicateAdmitResult = { admit: true } | ({ admit: false } & Refusal);

export interface PredicateAdmitHandlerOptions {
  /** The Node object as last seen, or as it would be registered; rejects if there is none yet. */
  node(): Node | Promise<Node>;
  /** Asks the API server for the Node, once a pod was refused for its node affinity alone: labels may be newer there. Default: not asked. */
  fetchNode?(signal?: AbortSignal): Promise<Node>;
  /**
   * Makes room for a critical pod by killing others, see {@link preemptionVictims}; resolves when it is there. Default: critical pods are
   * refused as others are.
   */
  preempt?(pod: Pod, missing: readonly ResourceRequirement[], signal?: AbortSignal): Promise<void>;
  /** Default `linux`. */
  operatingSystem?: string;
  logger?: Logger;
}

/** A pod admit handler of the scheduler's rules. */
export interface PredicateAdmitHandler {
  /** Never rejects except with the signal's reason. One call at a time. */
  admit(attributes: PredicateAdmitAttributes, signal?: AbortSignal): Promise<PredicateAdmitResult>;
}

/** Checks what the scheduler checked, for pods that it did not see (static ones) or that it saw too early. */
export function createPredicateAdmitHandler(options: PredicateAdmitHandlerOptions): PredicateAdmitHandler {
  const { operatingSystem = 'linux', logger = silentLogger } = options;

  const failuresOn = async (node: Node, { pod, otherPods }: PredicateAdmitAttributes, signal?: AbortSignal) => {
    const failures = fitFailures(pod, node, otherPods);
    if (options.fetchNode === undefined || failures.length === 0 || !failures.every(isNodeAffinity)) return failures;
    try {
      return fitFailures(pod, await options.fetchNode(signal), otherPods);
    } catch (error) {
      signal?.throwIfAborted();
      logger.warn({ error: errorMessage(error) }, 'cannot get the node to look at its labels again');
      return failures;
    }
  };

  /** What remains to be refused for: of a critical pod nothing that killing others can solve. */
  const withPreemption = async (pod: Pod, failures: PredicateFailure[], signal?: AbortSignal) => {
    if (options.preempt === undefined || failures.length === 0 || !isCriticalPod(pod)) return failures;
    const others = failures.filter((failure) => !('shortage' in failure));
    if (others.length > 0) return others;
    const missing = failures.flatMap((failure) => ('shortage' in failure ? [missingAmount(failure.shortage)] : []));
    await options.preempt(pod, missing, signal);
    return [];
  };

  return {
    async admit(attributes, signal) {
      const { pod } = attributes;
      let node: Node;
      try {
        node = await options.node();
      } catch (error) {
        logger.warn({ error: errorMessage(error) }, 'cannot get the node to admit a pod');
        return refuse({ reason: 'InvalidNodeInfo', message: 'Kubelet cannot get node info.' });
      }
      const refusal = platformRefusal(pod, node, operatingSystem);
      if (refusal) return refuse(refusal);
      try {
        const [failure] = await withPreemption(pod, await failuresOn(node, attributes, signal), signal);
        return failure === undefined ? { admit: true } : refuse(describeFailure(failure));
      } catch (error) {
        signal?.throwIfAborted();
        const message = `Unexpected error while attempting to recover from admission failure: ${errorMessage(error)}`;
        return refuse({ reason: 'UnexpectedAdmissionError', message });
      }
    },
  };
}

const refuse = (refusal: Refusal): PredicateAdmitResult => ({ admit: false, ...refusal });

function isNodeAffinity(failure: PredicateFailure): boolean {
  return 'predicate' in failure && failure.predicate === 'NodeAffinity';
}
