import type { ClusterModel } from './views.js';

const maxModels = 20_000;

/** The models that a session has shown, by time. Unchanged objects of them are shared, so that one costs little. */
export class ModelHistory {
  #models: { at: number; model: ClusterModel }[] = [];

  /** Adds the model at a time, which is not before the last one. */
  add(at: number, model: ClusterModel): void {
    if (this.#models.at(-1)?.at === at) this.#models.pop();
    this.#models.push({ at, model });
    // Keep every other one: older times become coarser.
    if (this.#models.length > maxModels) this.#models = this.#models.filter((_, index) => index % 2 === 0);
  }

  /** The last model until a time. */
  until(at: number): ClusterModel | undefined {
    return this.#models.findLast((each) => each.at <= at)?.model;
  }

  /** Forgets the models after a time. */
  truncate(at: number): void {
    this.#models = this.#models.filter((each) => each.at <= at);
  }
}
