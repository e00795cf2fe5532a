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
export class FieldProblems {
  readonly list: FieldProblem[] = [];

  add(field: string, problem: string, hint?: string): void {
    this.list.push(hint === undefined ? { field, problem } : { field, problem, hint });
  }

  required(field: string, why?: string): void {
    this.add(field, why === undefined ? 'Required value' : `Required value: ${why}`);
  }

  invalid(field: string, value: unknown, rule: string): void {
    this.add(field, `Invalid value: ${show(value)}: ${rule}`);
  }

  duplicate(field: string, value: unknown): void {
    this.add(field, `Duplicate value: ${show(value)}`);
  }

  notFound(field: string, value: unknown): void {
    this.add(field, `Not found: ${show(value)}`);
  }

  forbidden(field: string, why: string): void {
    this.add(field, `Forbidden: ${why}`);
  }

  /** Reports a value that is not one of `allowed`; an absent one is fine. */
  oneOf(field: string, value: string | undefined, allowed: readonly string[]): void {
    if (value === undefined || allowed.includes(value)) return;
    this.add(field, `Unsupported value: ${show(value)}: supported values: ${allowed.map(show).join(', ')}`);
  }
}

const longest = 120;

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}
