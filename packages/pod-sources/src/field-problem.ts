/** One thing that is wrong with one field of an object. */
export interface FieldProblem {
  /** Such as `spec.containers[0].image`; empty for the object as a whole. */
  field: string;
  /** In the words of the Kubernetes API: `Required value`, `Duplicate value: "x"`, `Invalid value: "x": <rule>`. */
  problem: string;
  /** What to do about it. */
  hint?: string;
}

/** Collects what is wrong, in the order it is found. */
export interface FieldProblems {
  readonly list: FieldProblem[];
  add(field: string, problem: string, hint?: string): void;
  required(field: string, why?: string): void;
  invalid(field: string, value: unknown, rule: string): void;
  duplicate(field: string, value: unknown): void;
  notFound(field: string, value: unknown): void;
  forbidden(field: string, why: string): void;
  /** Reports a value that is not one of `allowed`; an absent one is fine. */
  oneOf(field: string, value: string | undefined, allowed: readonly string[]): void;
}

export function createFieldProblems(): FieldProblems {
  const list: FieldProblem[] = [];
  const add = (field: string, problem: string, hint?: string) => {
    list.push(hint === undefined ? { field, problem } : { field, problem, hint });
  };
  return {
    list,
    add,
    required: (field, why) => add(field, why === undefined ? 'Required value' : `Required value: ${why}`),
    invalid: (field, value, rule) => add(field, `Invalid value: ${show(value)}: ${rule}`),
    duplicate: (field, value) => add(field, `Duplicate value: ${show(value)}`),
    notFound: (field, value) => add(field, `Not found: ${show(value)}`),
    forbidden: (field, why) => add(field, `Forbidden: ${why}`),
    oneOf(field, value, allowed) {
      if (value === undefined || allowed.includes(value)) return;
      add(field, `Unsupported value: ${show(value)}: supported values: ${allowed.map(show).join(', ')}`);
    },
  };
}

const longest = 120;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}
