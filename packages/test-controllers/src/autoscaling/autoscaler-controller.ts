import { type Clock, errorMessage, type Pod } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeKey,
  placeOf,
  type StoredChange,
  type StoredObject,
  type TargetScale,
} from '../controller-objects.js';
import { Delays } from '../delays.js';
import type { EventWriter } from '../event-writer.js';
import type { EventText } from '../workloads/objects.js';
import type { AutoscalerMemory } from './limit-change.js';
import { type AutoscalerMetrics, metricSamples } from './metric-samples.js';
import type { AutoscalerStatus, HorizontalPodAutoscaler } from './objects.js';
import { reconcileHorizontalPodAutoscaler } from './reconcile-autoscaler.js';

const autoscalers = 'autoscaling/horizontalpodautoscalers';

/** Each autoscaler is reconciled so often: `--horizontal-pod-autoscaler-sync-period`. */
const periodMs = 15_000;

interface Known {
  namespace: string;
  name: string;
  memory?: AutoscalerMemory | undefined;
  /** The selector of its target, once that has been read. */
  selects: TargetScale['selects'];
}

export interface AutoscalerControllerOptions {
  objects: ControllerObjects;
  clock: Clock;
  events: EventWriter;
  metrics?: AutoscalerMetrics | undefined;
  /** Called when the period of an autoscaler is over. */
  again: (place: Place) => void;
}

/** Sets the replicas of the targets of HorizontalPodAutoscalers, the first time a period after their creation. */
export class AutoscalerController implements Controller {
  readonly #options: AutoscalerControllerOptions;
  readonly #delays: Delays;
  readonly #known = new Map<string, Known>();

  constructor(options: AutoscalerControllerOptions) {
    this.#options = options;
    this.#delays = new Delays(options.clock, options.again);
  }

  affected({ storage, type, object }: StoredChange): Place[] {
    if (storage !== autoscalers) return [];
    const place = placeOf(autoscalers, object);
    const key = placeKey(place);
    if (type === 'DELETED') {
      this.#known.delete(key);
      this.#delays.cancel(place);
    } else if (!this.#known.has(key)) {
      this.#known.set(key, { namespace: place.namespace ?? '', name: place.name, selects: () => false });
      this.#delay(place);
    }
    return [];
  }

  covers({ storage }: Place): boolean {
    return storage === autoscalers;
  }

  reconcile(place: Place): void {
    const { objects } = this.#options;
    const stored = objects.get(autoscalers, place.namespace, place.name);
    const known = this.#known.get(placeKey(place));
    if (!stored || !known) return;
    this.#delay(place);
    const autoscaler = stored as unknown as HorizontalPodAutoscaler;
    const target = this.#target(autoscaler, known);
    const input = {
      autoscaler,
      ...target,
      controlledBy: this.#selecting(target.pods),
      memory: known.memory,
      now: this.#options.clock.now(),
    };
    let decision = reconcileHorizontalPodAutoscaler(input);
    const refusal = decision.replicas === undefined ? undefined : refusalOf(() => target.set?.(decision.replicas ?? 0));
    if (refusal !== undefined) decision = reconcileHorizontalPodAutoscaler({ ...input, refusal });
    known.memory = decision.memory;
    this.#writeStatus(stored, decision.status);
    for (const event of decision.events) this.#report(stored, event);
  }

  stop(): void {
    this.#delays.stop();
  }

  #delay(place: Place): void {
    this.#delays.set(place, this.#options.clock.now() + periodMs);
  }

  /** What the autoscaler's decision depends on in its target. */
  #target(autoscaler: HorizontalPodAutoscaler, known: Known) {
    const { objects, metrics } = this.#options;
    const none = { pods: [], samples: [] };
    let found: TargetScale;
    try {
      found = objects.scale(autoscaler.spec.scaleTargetRef, known.namespace);
    } catch (error) {
      return { ...none, scale: { problem: errorMessage(error) } };
    }
    const { replicas, currentReplicas, selector, selects } = found;
    const scale = { replicas, currentReplicas, selector };
    const set = (count: number) => found.set(count, controllerManager);
    if (selector === '') return { ...none, scale, set };
    try {
      const pods = (objects.list('/pods', known.namespace) as Pod[]).filter(({ metadata }) => selects(metadata?.labels));
      known.selects = selects;
      const samples = (autoscaler.spec.metrics ?? []).map((metric) => metricSamples(metrics, autoscaler, metric, pods));
      return { pods, samples, scale, set };
    } catch (error) {
      return { ...none, scale: { ...scale, selectorProblem: errorMessage(error) }, set };
    }
  }

  /** The autoscalers whose target selects one of the pods. */
  #selecting(pods: readonly Pod[]): Known[] {
    return [...this.#known.values()].filter(({ namespace, selects }) =>
      pods.some(({ metadata }) => metadata?.namespace === namespace && selects(metadata.labels)),
    );
  }

  #writeStatus(stored: StoredObject, status: AutoscalerStatus): void {
    if (equalJson(stored.status ?? {}, status)) return;
    const write = () =>
      this.#options.objects.replace(autoscalers, stored, { ...stored, status }, { ...controllerManager, subresource: 'status' });
    const refusal = refusalOf(write);
    if (refusal !== undefined) this.#report(stored, { type: 'Warning', reason: 'FailedUpdateStatus', message: refusal });
  }

  #report(stored: StoredObject, event: EventText): void {
    this.#options.events.write(stored, { component: 'horizontal-pod-autoscaler', ...event }, controllerManager);
  }
}

/** Why the server refuses a write; undefined if it does not. */
function refusalOf(write: () => void): string | undefined {
  try {
    write();
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
