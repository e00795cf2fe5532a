import type { Random } from '@nodeagent/api';
import { canonicalEnd } from './canonical.js';
import { type Disturbance, type Schedule, scheduleText } from './disturbance.js';
import { disturbancesAt } from './disturbances-at.js';
import { operationText } from './operation.js';
import type { Run } from './run.js';

/** So many runs are kept to be disturbed further; later ones replace earlier ones at random. */
const maxBases = 500;

/**
 * The order of the schedules: each disturbance alone, then two and more together at random. Left out is what cannot differ: a schedule that ran, and
 * one with a disturbance that made no difference where it was.
 */
export class Search {
  readonly #undisturbed: string;
  readonly #singles: Disturbance[];
  readonly #random: Random;
  readonly #seen = new Set<string>();
  readonly #bases: { schedule: Schedule; further: Disturbance[] }[] = [];
  /** Number of schedules that were left out. */
  pruned = 0;

  /** A search extends the schedules that it has run, so one with a share of the single disturbances has that share of all. */
  constructor(undisturbed: Run, random: Random, { index, count } = { index: 0, count: 1 }) {
    this.#undisturbed = courseOf(undisturbed);
    this.#singles = disturbancesAt(undisturbed).filter((_, place) => place % count === index);
    this.#random = random;
  }

  /** The next schedule; undefined if no other one can differ. */
  next(): Schedule | undefined {
    const single = this.#singles.shift();
    if (single) return this.#take([single]);
    // Each try is cheap; so many in vain mean that hardly another schedule is left.
    for (let tries = 0; tries < 1_000 && this.#bases.length > 0; tries++) {
      const base = this.#pick(this.#bases);
      const added = this.#pick(base.further);
      const schedule = [...base.schedule, added];
      if (!this.#seen.has(scheduleText(schedule))) return this.#take(schedule);
    }
    return undefined;
  }

  /** Learns from a run whether its schedule can be disturbed further. */
  ran(run: Run): void {
    const last = run.schedule.at(-1)?.at ?? 0;
    if (courseOf(run) === this.#undisturbed) {
      this.pruned++;
      return;
    }
    const further = disturbancesAt(run).filter(({ at }) => at > last);
    if (further.length === 0) return;
    const base = { schedule: run.schedule, further };
    if (this.#bases.length < maxBases) this.#bases.push(base);
    else this.#bases[Math.floor(this.#random() * maxBases)] = base;
  }

  #take(schedule: Schedule): Schedule {
    this.#seen.add(scheduleText(schedule));
    return schedule;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T;
  }
}

/** A text that is equal for runs in which the controller did and got the same. */
function courseOf({ operations, end }: Run): string {
  return JSON.stringify([operations.map((each) => `${operationText(each)} ${each.instance} ${each.status}`), canonicalEnd(end)]);
}
