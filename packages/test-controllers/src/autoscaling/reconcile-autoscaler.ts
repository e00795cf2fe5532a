import type { Pod } from '@nodeagent/api';
import { formatTime, Quantity, replaceOrAppendCondition } from '@nodeagent/api/helpers';
import type { Condition, EventText } from '../workloads/objects.js';
import { type AutoscalerMemory, type ConditionText, limitChange, withScaling } from './limit-change.js';
import { metricProposal } from './metric-proposal.js';
import type { MetricSamples } from './metric-samples.js';
import type { AutoscalerStatus, HorizontalPodAutoscaler, Metric } from './objects.js';

/** Usage may differ from the target by this ratio: `--horizontal-pod-autoscaler-tolerance`. */
const tolerance = '0.1';

/** What an autoscaler's decision depends on. */
export interface AutoscalerInput {
  autoscaler: HorizontalPodAutoscaler;
  /** The Scale of its target with the wanted and the existing replicas, or why it cannot be read. */
  scale: { replicas: number; currentReplicas: number; selector: string; selectorProblem?: string } | { problem: string };
  /** The pods that the selector selects. */
  pods: readonly Pod[];
  /** All autoscalers whose target selects one of these pods. */
  controlledBy: readonly { name: string; namespace: string }[];
  /** The values of each metric of the spec, in order. */
  samples: readonly MetricSamples[];
  /** What the last decision returned. Default: none. */
  memory?: AutoscalerMemory | undefined;
  /** Milliseconds since 1970. */
  now: number;
  /** Why the target refused the number of replicas of this decision. */
  refusal?: string;
}

/** What the controller of autoscalers writes. */
export interface AutoscalerDecision {
  /** The new number of replicas of the target; undefined: it stays. */
  replicas?: number;
  status: AutoscalerStatus;
  events: EventText[];
  memory: AutoscalerMemory | undefined;
}

/** A change of the target with the metric that asks for it. */
interface Rescale {
  replicas: number;
  reason: string;
}

/**
 * The next number of replicas of an autoscaler's target, and the autoscaler's status: Kubernetes documentation, "Horizontal Pod Autoscaling". If the target refuses the
 * change, a second call with `refusal` returns what is written instead.
 */
export function reconcileHorizontalPodAutoscaler(input: AutoscalerInput): AutoscalerDecision {
  return new Reconciliation(input).run();
}

class Reconciliation {
  readonly #input: AutoscalerInput;
  readonly #events: EventText[] = [];
  #conditions: Condition[];

  constructor(input: AutoscalerInput) {
    this.#input = input;
    this.#conditions = [...(input.autoscaler.status?.conditions ?? [])];
  }

  run(): AutoscalerDecision {
    const { autoscaler, scale, now, memory: known } = this.#input;
    if ('problem' in scale) return this.#withoutScale(scale.problem);
    this.#set('AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale");
    const from = scale.replicas;
    const first = { recommendations: [{ replicas: from, at: now }], scaledUp: [], scaledDown: [] };
    const memory = known ?? first;
    const bounded = this.#outOfBounds(from);
    if (bounded) return this.#rescale(bounded, memory, null);
    if (from === 0) {
      this.#set('ScalingActive', 'False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero');
      return this.#decision(from, from, null, memory);
    }
    const { wanted, name, currentMetrics, failure } = this.#byMetrics(scale);
    if (wanted === undefined) {
      this.#events.push({ type: 'Warning', reason: 'FailedComputeMetricsReplicas', message: failure ?? '' });
      return this.#decision(from, autoscaler.status?.desiredReplicas ?? 0, currentMetrics, memory);
    }
    const { replicas, conditions, recommendations } = limitChange(autoscaler.spec, memory, { from, to: wanted, now });
    for (const { type, status, reason, message } of conditions) this.#set(type, status, reason, message);
    const next = { ...memory, recommendations };
    if (replicas === from) return this.#decision(from, from, currentMetrics, next);
    return this.#rescale({ replicas, reason: rescaleReason(from, wanted, name) }, next, currentMetrics);
  }

  #set(type: string, status: ConditionText['status'], reason: string, message: string): void {
    const old = this.#conditions.find((each) => each.type === type);
    const lastTransitionTime = (old?.status === status && old.lastTransitionTime) || formatTime(this.#input.now);
    this.#conditions = replaceOrAppendCondition(this.#conditions, { type, status, lastTransitionTime, reason, message });
  }

  #withoutScale(problem: string): AutoscalerDecision {
    const { autoscaler, memory } = this.#input;
    this.#events.push({ type: 'Warning', reason: 'FailedGetScale', message: problem });
    this.#set('AbleToScale', 'False', 'FailedGetScale', `the HPA controller was unable to get the target's current scale: ${problem}`);
    const status = { currentMetrics: null, desiredReplicas: 0, ...autoscaler.status, conditions: this.#conditions };
    return { status, events: this.#events, memory };
  }

  /** A target whose size is out of bounds is scaled without its metrics. */
  #outOfBounds(from: number): Rescale | undefined {
    const { minReplicas = 1, maxReplicas } = this.#input.autoscaler.spec;
    const reason = (than: string) => `Current number of replicas ${than}Replicas`;
    if (from > maxReplicas) return { replicas: maxReplicas, reason: reason('above Spec.Max') };
    return from > 0 && from < minReplicas ? { replicas: minReplicas, reason: reason('below Spec.Min') } : undefined;
  }

  /** What the metrics ask for: the highest number. */
  #byMetrics(scale: { replicas: number; currentReplicas: number; selector: string; selectorProblem?: string }) {
    const problem = this.#selectorProblem(scale);
    if (problem !== undefined) return { currentMetrics: null, failure: problem };
    const { autoscaler, samples, pods, now } = this.#input;
    const { metrics = [], behavior } = autoscaler.spec;
    const { namespace = '' } = autoscaler.metadata;
    const ratio = (own: string | undefined) => Number(Quantity.parse(own ?? tolerance).scaledValue(-9)) / 1e9;
    const tolerances = { scaleUp: ratio(behavior?.scaleUp?.tolerance), scaleDown: ratio(behavior?.scaleDown?.tolerance) };
    const proposals = metrics.map((metric, index) =>
      metricProposal(metric, samples[index] ?? { problem: '' }, { pods, scale, namespace, tolerances, now }),
    );
    const failed = proposals.filter((each) => 'problem' in each);
    for (const { reason, cause } of failed) this.#events.push({ type: 'Warning', reason, message: cause });
    const valid = proposals.filter((each) => 'replicas' in each);
    // Of several that request no replicas the last one, as in a cluster.
    const highest = valid.reduce<(typeof valid)[number] | undefined>(
      (best, each) => (best?.replicas && each.replicas <= best.replicas ? best : each),
      undefined,
    );
    const currentMetrics = proposals.map((each, index) => currentMetric(each, metrics[index] as Metric));
    const [first] = failed;
    if (first && (!highest || highest.replicas < scale.replicas)) {
      this.#set('ScalingActive', 'False', first.reason, `the HPA was unable to compute the replica count: ${first.cause}`);
      const failure = `invalid metrics (${failed.length} invalid out of ${metrics.length}), first error is: ${first.problem}`;
      return { currentMetrics, failure };
    }
    const name = highest?.name ?? '';
    this.#set('ScalingActive', 'True', 'ValidMetricFound', `the HPA was able to successfully calculate a replica count from ${name}`);
    return { wanted: highest?.replicas ?? 0, name, currentMetrics };
  }

  #selectorProblem({ selector, selectorProblem }: { selector: string; selectorProblem?: string }): string | undefined {
    const refuse = (event: string, reason: string, problem: string, message = problem) => {
      this.#events.push({ type: 'Warning', reason: event, message: problem });
      this.#set('ScalingActive', 'False', reason, message);
      return problem;
    };
    if (selector === '')
      return refuse('SelectorRequired', 'InvalidSelector', 'selector is required', "the HPA target's scale is missing a selector");
    if (selectorProblem !== undefined) {
      const problem = `couldn't convert selector into a corresponding internal selector object: ${selectorProblem}`;
      return refuse('InvalidSelector', 'InvalidSelector', problem);
    }
    const { controlledBy } = this.#input;
    if (controlledBy.length < 2) return undefined;
    const names = controlledBy.map(({ name, namespace }) => `{${name} ${namespace}}`).sort();
    const problem = `pods by selector ${selector} are controlled by multiple HPAs: [${names.join(' ')}]`;
    return refuse('AmbiguousSelector', 'AmbiguousSelector', problem);
  }

  #rescale(
    { replicas, reason }: Rescale,
    memory: AutoscalerMemory,
    currentMetrics: AutoscalerStatus['currentMetrics'],
  ): AutoscalerDecision {
    const { autoscaler, scale, now, refusal } = this.#input;
    const from = 'problem' in scale ? 0 : scale.replicas;
    const message = `New size: ${replicas}; reason: ${reason}`;
    if (refusal !== undefined) {
      this.#events.push({ type: 'Warning', reason: 'FailedRescale', message: `${message}; error: ${refusal}` });
      this.#set('AbleToScale', 'False', 'FailedUpdateScale', `the HPA controller was unable to update the target scale: ${refusal}`);
      return this.#decision(from, autoscaler.status?.desiredReplicas ?? 0, currentMetrics, memory);
    }
    this.#events.push({ type: 'Normal', reason: 'SuccessfulRescale', message });
    this.#set('AbleToScale', 'True', 'SucceededRescale', `the HPA controller was able to update the target scale to ${replicas}`);
    const { status, events, ...rest } = this.#decision(
      from,
      replicas,
      currentMetrics,
      withScaling(memory, autoscaler.spec, { from, to: replicas, now }),
    );
    return { ...rest, replicas, status: { ...status, lastScaleTime: formatTime(now) }, events };
  }

  #decision(
    currentReplicas: number,
    desiredReplicas: number,
    currentMetrics: AutoscalerStatus['currentMetrics'],
    memory: AutoscalerMemory,
  ): AutoscalerDecision {
    const { lastScaleTime } = this.#input.autoscaler.status ?? {};
    const status = {
      ...(lastScaleTime && { lastScaleTime }),
      ...{ currentReplicas, desiredReplicas, currentMetrics: currentMetrics ?? null, conditions: this.#conditions },
    };
    return { status, events: this.#events, memory };
  }
}

function rescaleReason(from: number, wanted: number, name: string | undefined): string {
  if (wanted > from) return `${name} above target`;
  return wanted < from ? 'All metrics below target' : '';
}

function currentMetric(proposal: ReturnType<typeof metricProposal>, { type, ...source }: Metric): Metric | { type: '' } {
  if ('problem' in proposal) return { type: '' };
  const { target: _target, ...identity } = source[proposal.field] ?? {};
  return { type, [proposal.field]: { ...identity, current: proposal.current } };
}
