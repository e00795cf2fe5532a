import { invalidArgument } from '../contracts/arguments.js';

/** Larger numbers are rejected: no kernel supports that many CPUs. */
const maxCpu = (1 << 20) - 1;

/** An immutable set of CPU or NUMA node numbers, in the Linux notation `0-3,8,10-11`: cpuset(7), "List format". */
export class CpuSet {
  static readonly empty: CpuSet = /* @__PURE__ */ new CpuSet([]);

  readonly #list: readonly number[];
  readonly #members: ReadonlySet<number>;

  private constructor(sorted: readonly number[]) {
    this.#list = sorted;
    this.#members = new Set(sorted);
  }

  /** A set of the numbers, which may be unordered and repeated. Throws `InvalidArgument`. */
  static of(numbers: Iterable<number>): CpuSet {
    const unique = Array.from(new Set(numbers));
    for (const number of unique) {
      if (!Number.isInteger(number) || number < 0 || number > maxCpu)
        throw invalidArgument('cpu', `an integer from 0 to ${maxCpu}`, number);
    }
    return new CpuSet(unique.sort((a, b) => a - b));
  }

  /** Reads the Linux list notation; '' is the empty set. Throws `InvalidArgument`. */
  static parse(text: string): CpuSet {
    const numbers: number[] = [];
    for (const range of text === '' ? [] : text.split(',')) {
      const [, first = '', last = first] = /^\+?([0-9]+)(?:-\+?([0-9]+))?$/.exec(range) ?? [];
      const [from, to] = [Number(first), Number(last)];
      if (first === '' || from > to || to > maxCpu) throw invalidArgument('cpuset', `a list of CPUs such as "0-3,8" up to ${maxCpu}`, text);
      for (let number = from; number <= to; number++) numbers.push(number);
    }
    return CpuSet.of(numbers);
  }

  get size(): number {
    return this.#list.length;
  }

  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  has(number: number): boolean {
    return this.#members.has(number);
  }

  /** The numbers in ascending order; a copy. */
  list(): number[] {
    return [...this.#list];
  }

  [Symbol.iterator](): IterableIterator<number> {
    return this.#list.values();
  }

  union(...others: CpuSet[]): CpuSet {
    return CpuSet.of([this, ...others].flatMap((set) => set.list()));
  }

  intersection(other: CpuSet): CpuSet {
    return this.filter((number) => other.has(number));
  }

  difference(other: CpuSet): CpuSet {
    return this.filter((number) => !other.has(number));
  }

  filter(wanted: (number: number) => boolean): CpuSet {
    return new CpuSet(this.#list.filter(wanted));
  }

  equals(other: CpuSet): boolean {
    return this.size === other.size && this.isSubsetOf(other);
  }

  isSubsetOf(other: CpuSet): boolean {
    return this.#list.every((number) => other.has(number));
  }

  /** The Linux list notation, `0-3,8`. */
  toString(): string {
    const ranges: string[] = [];
    for (let start = 0; start < this.#list.length; ) {
      let end = start;
      while (this.#list[end + 1] === (this.#list[end] ?? 0) + 1) end++;
      ranges.push(end === start ? `${this.#list[start]}` : `${this.#list[start]}-${this.#list[end]}`);
      start = end + 1;
    }
    return ranges.join(',');
  }

  toJSON(): string {
    return this.toString();
  }

  /** What Node's `util.inspect` and `console.log` print. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `CpuSet(${this})`;
  }
}
