import type { CelIssue } from './expr.js';

/** An expression that cannot be compiled; the message shows each place, as the reference implementation of CEL does. */
export class CelCompileError extends Error {
  readonly issues: readonly CelIssue[];

  constructor(expression: string, issues: readonly CelIssue[]) {
    super(issues.map((issue) => issueText(expression, issue)).join('\n'));
    this.issues = issues;
  }
}

function issueText(expression: string, { at, message }: CelIssue): string {
  const before = [...expression].slice(0, at).join('');
  const line = before.split('\n').length;
  const column = [...(before.split('\n').at(-1) ?? '')].length;
  const text = expression.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${text}\n | ${'.'.repeat(column)}^`;
}

/** An evaluation that failed, such as `no such key: x`. */
export class CelEvalError extends Error {}

/** An evaluation that exceeded its cost limit. */
export class CelCostError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}
