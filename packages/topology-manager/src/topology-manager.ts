import {
  admissionError,
  admissionReason,
  type Container,
  checkOptionNames,
  errorMessage,
  type Pod,
  type PodAdmitAttributes,
  type PodAdmitHandler,
  type PodAdmitResult,
  podKey,
  podUid,
  type TopologyHint,
  type TopologyHintProvider,
} from '@nodeagent/api';
import { createContainerTable } from './container-table.js';
import { type AlignmentExplanation, explainAlignment, type PodTopologyExplanation } from './explain.js';
import { type MergedHints, mergeHints } from './merge-hints.js';
import { createTopologyMetrics } from './metrics.js';
import { optionNames, resolveOptions, type TopologyManagerOptions, type TopologyManagerScope } from './options.js';
import { policyRules, type TopologyManagerPolicy } from './policy.js';
import type { ParsedPolicyOptions } from './policy-options.js';

/** The settings and the last admissions of a topology manager. Plain JSON. */
export interface TopologyExplanation {
  policy: TopologyManagerPolicy;
  scope: TopologyManagerScope;
  policyOptions: ParsedPolicyOptions;
  /** Pods that were admitted or refused, the newest last; at most 100. */
  pods: PodTopologyExplanation[];
}

/** Admits pods whose resources can be assigned from NUMA nodes that the policy accepts, and has the providers assign them. */
export interface TopologyManager extends PodAdmitHandler {
  /**
   * Merges the hints of all providers and has the providers assign the resources of each init container and container, in the order of the
   * pod. Refuses with `TopologyAffinityError`, with the reason of a provider's `admissionError`, or with `UnexpectedAdmissionError`. Resources
   * that earlier containers of a refused pod got stay assigned until the providers remove stale state. Calls must come one at a time.
   */
  admit(attributes: Pick<PodAdmitAttributes, 'pod'>): Promise<PodAdmitResult>;
  /** The hint of an admitted container; without one, no NUMA nodes and not preferred. */
  getAffinity(podUID: string, containerName: string): TopologyHint;
  /** Records a created container. */
  addContainer(podUID: string, containerName: string, containerId: string): void;
  /** Forgets a removed container, and its hint with the last container of that name in the pod. Idempotent. */
  removeContainer(containerId: string): void;
  /** Explains the last admissions. */
  explain(): TopologyExplanation;
}

const maxExplainedPods = 100;
const noAffinity: TopologyHint = { numaNodes: null, preferred: false };

/** Creates a {@link TopologyManager}. Throws `InvalidOption` naming the field. */
export function createTopologyManager(options: TopologyManagerOptions): TopologyManager {
  checkOptionNames('createTopologyManager', options, optionNames);
  const { policy, scope, policyOptions, numaNodes, providers, clock, logger, metrics: sink } = resolveOptions(options);
  const metrics = createTopologyMetrics(sink);
  const { usesHints, singleNumaNode } = policyRules[policy];
  const hintsByContainer = createContainerTable<TopologyHint>();
  const explained = new Map<string, PodTopologyExplanation>();

  function merge(hintsFrom: (provider: TopologyHintProvider) => ReturnType<TopologyHintProvider['getTopologyHints']>): MergedHints {
    return mergeHints({
      policy,
      numaNodes,
      providers: providers.map(({ name, provider }) => ({ provider: name, hints: hintsFrom(provider) })),
      preferClosestNumaNodes: policyOptions.preferClosestNumaNodes,
    });
  }

  async function allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    for (const { provider } of providers) await provider.allocate(pod, container, hint);
  }

  /** Throws `refused` if the policy does not accept the hint. */
  function accept(merged: MergedHints, alignments: AlignmentExplanation[], containerName?: string): TopologyHint {
    alignments.push(explainAlignment(merged, containerName));
    if (merged.admit) return merged.hint;
    if (singleNumaNode) metrics.alignmentFailures.inc({ scope, boundary: 'numa_node' });
    throw admissionError('TopologyAffinityError', 'Resources cannot be allocated with Topology locality');
  }

  /** Aligns and assigns the resources of a pod; resolves to the hints of its containers. Throws if the pod is refused. */
  async function align(pod: Pod, alignments: AlignmentExplanation[]): Promise<Map<Container, TopologyHint>> {
    const hints = new Map<Container, TopologyHint>();
    const countAligned = () => singleNumaNode && metrics.aligned.inc({ scope, boundary: 'numa_node' });
    const isPodScope = scope === 'pod' && usesHints;
    const podHint = isPodScope
      ? accept(
          merge((provider) => provider.getPodTopologyHints(pod)),
          alignments,
        )
      : noAffinity;
    for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
      const hint =
        usesHints && !isPodScope
          ? accept(
              merge((provider) => provider.getTopologyHints(pod, container)),
              alignments,
              container.name,
            )
          : podHint;
      await allocate(pod, container, hint);
      if (!isPodScope) countAligned();
      hints.set(container, hint);
    }
    if (isPodScope) countAligned();
    return hints;
  }

  function record(pod: Pod, result: PodAdmitResult, alignments: AlignmentExplanation[]): void {
    const { namespace = '', name = '' } = pod.metadata ?? {};
    const podUID = podUid(pod);
    explained.delete(podUID);
    explained.set(podUID, { podUID, namespace, name, decidedAt: clock.now(), result, alignments });
    const [oldest] = explained.keys();
    if (explained.size > maxExplainedPods && oldest !== undefined) explained.delete(oldest);
  }

  return {
    async admit({ pod }) {
      metrics.requests.inc();
      const started = clock.monotonic();
      const alignments: AlignmentExplanation[] = [];
      let result: PodAdmitResult = { admit: true };
      try {
        const hints = await align(pod, alignments);
        for (const [{ name }, hint] of usesHints ? hints : []) hintsByContainer.set(podUid(pod), name, hint);
      } catch (error) {
        result = refusalOf(error);
        if (usesHints) metrics.errors.inc();
        logger.info({ pod: podKey(pod), podUID: podUid(pod), err: error }, 'topology manager: failed to align the resources of a pod');
      }
      metrics.durationMs.observe(clock.monotonic() - started);
      record(pod, result, alignments);
      return result;
    },
    getAffinity: (podUID, containerName) => hintsByContainer.get(podUID, containerName) ?? noAffinity,
    addContainer: (podUID, containerName, containerId) => hintsByContainer.addId(podUID, containerName, containerId),
    removeContainer: (containerId) => hintsByContainer.removeId(containerId),
    explain: () => ({ policy, scope, policyOptions, pods: [...explained.values()] }),
  };
}

function refusalOf(error: unknown): PodAdmitResult {
  const reason = admissionReason(error);
  if (reason !== undefined) return { admit: false, reason, message: errorMessage(error) };
  return {
    admit: false,
    reason: 'UnexpectedAdmissionError',
    message: `Allocate failed due to ${errorMessage(error)}, which is unexpected`,
  };
}
