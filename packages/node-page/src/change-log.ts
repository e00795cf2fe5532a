/** A change of a state, as an event for browsers. */
export interface Change<Event extends string = string> {
  id: string;
  event: Event;
  /** JSON. */
  data: string;
}

/** Maximum number of remembered changes, for browsers that reconnect. */
const maxChanges = 500;

/** Numbers the changes of a state and remembers the last ones. `instance` distinguishes its ids from those of previous logs. */
export class ChangeLog<Event extends string> {
  readonly #instance: string;
  #number = 0;
  /** Newest last, without gaps up to `#number`. */
  #changes: Change<Event>[] = [];

  constructor(instance: string) {
    this.#instance = instance;
  }

  /** Position of the current state. */
  get id(): string {
    return this.#idOf(this.#number);
  }

  add(event: Event, data: string): Change<Event> {
    this.#number += 1;
    const added = { id: this.id, event, data };
    this.#changes.push(added);
    if (this.#changes.length > maxChanges) this.#changes.shift();
    return added;
  }

  /** Skips an id: the change has no receiver, so earlier states cannot be resumed. */
  skip(): void {
    this.#number += 1;
    this.#changes = [];
  }

  /** The changes after the state with that id; undefined if the id is unknown or missing. */
  after(id: string | undefined): Change<Event>[] | undefined {
    const oldest = this.#number - this.#changes.length;
    for (let known = oldest; known <= this.#number; known += 1) if (id === this.#idOf(known)) return this.#changes.slice(known - oldest);
    return undefined;
  }

  #idOf(number: number): string {
    return `${this.#instance}-${number}`;
  }
}
