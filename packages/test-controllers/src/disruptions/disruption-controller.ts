import type { Clock, Pod } from '@nodeagent/api';
import { equalJson, matchesLabelSelector } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import {
  type ControllerObjects,
  controllerManager,
  type Place,
  placeOf,
  type StoredChange,
  type StoredObject,
} from '../controller-objects.js';
import { Delays } from '../delays.js';
import type { EventWriter } from '../event-writer.js';
import { controllerScales } from './controller-scales.js';
import { type DisruptionBudget, disruptionBudgetStatus } from './disruption-budget.js';

const budgets = 'policy/poddisruptionbudgets';
const scalable = ['apps/replicasets', 'apps/deployments', 'apps/statefulsets', '/replicationcontrollers'];

export interface DisruptionPorts {
  objects: ControllerObjects;
  clock: Clock;
  events: EventWriter;
  /** Called when the delay of an object is over. */
  again: (place: Place) => void;
}

/** Keeps the status of PodDisruptionBudgets. */
export class DisruptionController implements Controller {
  readonly #objects: ControllerObjects;
  readonly #clock: Clock;
  readonly #events: EventWriter;
  readonly #delays: Delays;

  constructor({ objects, clock, events, again }: DisruptionPorts) {
    this.#objects = objects;
    this.#clock = clock;
    this.#events = events;
    this.#delays = new Delays(clock, again);
  }

  affected({ storage, type, object, previous }: StoredChange): Place[] {
    if (storage === budgets) return type === 'DELETED' ? [] : [placeOf(budgets, object)];
    const { namespace } = object.metadata;
    const inNamespace = () => this.#objects.list(budgets, namespace);
    const placed = (found: StoredObject[]) => found.map((each) => placeOf(budgets, each));
    if (storage === '/pods') return placed(inNamespace().filter((budget) => [object, previous].some((pod) => selects(budget, pod))));
    const isScaled = scalable.includes(storage) && replicasOf(object) !== (previous && replicasOf(previous));
    return isScaled || (type === 'DELETED' && scalable.includes(storage)) ? placed(inNamespace()) : [];
  }

  covers({ storage }: Place): boolean {
    return storage === budgets;
  }

  reconcile(place: Place): void {
    this.#delays.cancel(place);
    const { namespace, name } = place;
    const stored = this.#objects.get(budgets, namespace, name);
    if (stored === undefined) return;
    const budget = stored as unknown as DisruptionBudget;
    const pods = this.#objects.list('/pods', namespace) as Pod[];
    const scales = controllerScales(this.#objects.get, pods);
    const { status, againAt, events } = disruptionBudgetStatus({ budget, pods, scales, now: this.#clock.now() });
    if (!equalJson(stored.status ?? {}, status)) {
      this.#objects.replace(budgets, stored, { ...stored, status }, { ...controllerManager, subresource: 'status' });
    }
    for (const { pod, ...event } of events)
      this.#events.write(pod ?? stored, { component: 'controllermanager', ...event }, controllerManager);
    this.#delays.set(place, againAt);
  }

  stop(): void {
    this.#delays.stop();
  }
}

const replicasOf = ({ spec }: StoredObject) => (spec as { replicas?: number } | undefined)?.replicas;

function selects(budget: StoredObject, pod: StoredObject | undefined): boolean {
  const { selector } = (budget as unknown as DisruptionBudget).spec ?? {};
  return pod !== undefined && selector !== undefined && matchesLabelSelector(selector, pod.metadata.labels);
}
