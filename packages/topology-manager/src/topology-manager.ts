import {
  admissionError,
  admissionReason,
  type Container,
  errorMessage,
  type Pod,
  type PodAdmitAttributes,
  type PodAdmitHandler,
  type PodAdmitResult,
  type TopologyHint,
  type TopologyHintProvider,
  type TopologyHints,
} from '@nodeagent/api';
import { podKey, podUid } from '@nodeagent/api/helpers';
import { createContainerTable } from './container-table.js';
import { type AlignmentExplanation, explainAlignment, type PodTopologyExplanation } from './explain.js';
import { type MergedHints, mergeHints } from './merge-hints.js';
import { createTopologyMetrics } from './metrics.js';
import { type ResolvedOptions, resolveOptions, type TopologyManagerOptions, type TopologyManagerScope } from './options.js';
import { type PolicyRules, policyRules, type TopologyManagerPolicy } from './policy.js';
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
  return new Manager(resolveOptions(options));
}

class Manager implements TopologyManager {
  readonly #options: ResolvedOptions;
  readonly #rules: PolicyRules;
  readonly #metrics;
  readonly #hintsByContainer = createContainerTable<TopologyHint>();
  readonly #explained = new Map<string, PodTopologyExplanation>();

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#rules = policyRules[options.policy];
    this.#metrics = createTopologyMetrics(options.metrics);
  }

  async admit({ pod }: Pick<PodAdmitAttributes, 'pod'>): Promise<PodAdmitResult> {
    const { clock, logger } = this.#options;
    this.#metrics.requests.inc();
    const started = clock.monotonic();
    const alignments: AlignmentExplanation[] = [];
    let result: PodAdmitResult = { admit: true };
    try {
      const hints = await this.#align(pod, alignments);
      for (const [{ name }, hint] of this.#rules.usesHints ? hints : []) this.#hintsByContainer.set(podUid(pod), name, hint);
    } catch (error) {
      result = refusalOf(error);
      if (this.#rules.usesHints) this.#metrics.errors.inc();
      logger.info({ pod: podKey(pod), podUID: podUid(pod), err: error }, 'topology manager: failed to align the resources of a pod');
    }
    this.#metrics.durationMs.observe(clock.monotonic() - started);
    this.#record(pod, result, alignments);
    return result;
  }

  getAffinity(podUID: string, containerName: string): TopologyHint {
    return this.#hintsByContainer.get(podUID, containerName) ?? noAffinity;
  }

  addContainer(podUID: string, containerName: string, containerId: string): void {
    this.#hintsByContainer.addId(podUID, containerName, containerId);
  }

  removeContainer(containerId: string): void {
    this.#hintsByContainer.removeId(containerId);
  }

  explain(): TopologyExplanation {
    const { policy, scope, policyOptions } = this.#options;
    return { policy, scope, policyOptions, pods: [...this.#explained.values()] };
  }

  #merge(hintsFrom: (provider: TopologyHintProvider) => TopologyHints): MergedHints {
    const { policy, numaNodes, providers, policyOptions } = this.#options;
    return mergeHints({
      policy,
      numaNodes,
      providers: providers.map(({ name, provider }) => ({ provider: name, hints: hintsFrom(provider) })),
      preferClosestNumaNodes: policyOptions.preferClosestNumaNodes,
    });
  }

  /** Throws if the policy does not accept the hint. */
  #accept(merged: MergedHints, alignments: AlignmentExplanation[], containerName?: string): TopologyHint {
    alignments.push(explainAlignment(merged, containerName));
    if (merged.admit) return merged.hint;
    if (this.#rules.singleNumaNode) this.#metrics.alignmentFailures.inc({ scope: this.#options.scope, boundary: 'numa_node' });
    throw admissionError('TopologyAffinityError', 'Resources cannot be allocated with Topology locality');
  }

  /** Aligns and assigns the resources of a pod; resolves to the hints of its containers. Throws if the pod is refused. */
  async #align(pod: Pod, alignments: AlignmentExplanation[]): Promise<Map<Container, TopologyHint>> {
    const { scope } = this.#options;
    const { usesHints, singleNumaNode } = this.#rules;
    const hints = new Map<Container, TopologyHint>();
    const countAligned = () => singleNumaNode && this.#metrics.aligned.inc({ scope, boundary: 'numa_node' });
    const accept = (merged: MergedHints, containerName?: string) => this.#accept(merged, alignments, containerName);
    const isPodScope = scope === 'pod' && usesHints;
    const podHint = isPodScope ? accept(this.#merge((provider) => provider.getPodTopologyHints(pod))) : noAffinity;
    for (const container of [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])]) {
      const merged = usesHints && !isPodScope ? this.#merge((provider) => provider.getTopologyHints(pod, container)) : undefined;
      const hint = merged === undefined ? podHint : accept(merged, container.name);
      for (const { provider } of this.#options.providers) await provider.allocate(pod, container, hint);
      if (!isPodScope) countAligned();
      hints.set(container, hint);
    }
    if (isPodScope) countAligned();
    return hints;
  }

  #record(pod: Pod, result: PodAdmitResult, alignments: AlignmentExplanation[]): void {
    const { namespace = '', name = '' } = pod.metadata ?? {};
    const podUID = podUid(pod);
    this.#explained.delete(podUID);
    this.#explained.set(podUID, { podUID, namespace, name, decidedAt: this.#options.clock.now(), result, alignments });
    const [oldest] = this.#explained.keys();
    if (this.#explained.size > maxExplainedPods && oldest !== undefined) this.#explained.delete(oldest);
  }
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
