import { type FieldSet, noFields } from './field-set.js';

/** How the names of branches begin; those of elements have their prefix already. */
export type BranchPrefix = 'f:' | '';

/** Number of different sets that are kept while others are built, at about 200 bytes each. */
const maxKept = 10_000;
let kept = 0;

/**
 * A set of fields under construction. Thousands of objects have the same few sets, so equal branches, added in the same order, lead to the same
 * set, for a comparison a branch.
 */
export class SharedSet {
  readonly #prefix: BranchPrefix;
  readonly #before: SharedSet | undefined;
  /** The last branch, without prefix. */
  readonly #name: string;
  readonly #fields: FieldSet;
  readonly #next = new Map<string, Map<FieldSet, SharedSet>>();
  /** What was added last, as most objects do. */
  #latest: SharedSet | undefined;
  readonly #sets: { whole?: FieldSet; inner?: FieldSet } = {};

  constructor(prefix: BranchPrefix, before?: SharedSet, name = '', fields = noFields) {
    this.#prefix = prefix;
    this.#before = before;
    this.#name = name;
    this.#fields = fields;
  }

  /** The set with one more branch. */
  with(name: string, fields: FieldSet): SharedSet {
    const latest = this.#latest;
    if (latest !== undefined && latest.#name === name && latest.#fields === fields) return latest;
    const byFields = this.#next.get(name) ?? new Map<FieldSet, SharedSet>();
    const next = byFields.get(fields) ?? new SharedSet(this.#prefix, this, name, fields);
    if (!byFields.has(fields)) {
      this.#next.set(name, byFields.set(fields, next));
      kept++;
    }
    this.#latest = next;
    return next;
  }

  /** The set; `member`: whether the field itself is in it. */
  done(member: boolean): FieldSet {
    const key = member ? 'whole' : 'inner';
    this.#sets[key] ??= { member, children: new Map(this.#branches()) };
    return this.#sets[key];
  }

  #branches(): [name: string, fields: FieldSet][] {
    const branches: [string, FieldSet][] = [];
    for (let at: SharedSet = this; at.#before !== undefined; at = at.#before) branches.push([at.#prefix + at.#name, at.#fields]);
    return branches.reverse();
  }
}

const newRoots = () => ({ 'f:': new SharedSet('f:'), '': new SharedSet('') });
let roots = newRoots();

/** An empty set, to which branches can be added. */
export function emptySet(prefix: BranchPrefix): SharedSet {
  if (kept > maxKept) {
    roots = newRoots();
    kept = 0;
  }
  return roots[prefix];
}
