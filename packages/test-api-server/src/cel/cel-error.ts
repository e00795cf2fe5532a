import type { CelIssue } from './expr.js';

/** An expression that cannot be compiled; the message shows each place, as the reference implementation of CEL does. */
export class CelCompileError extends Error {
  readonly issues: readonly CelIssue[];

  constructor(expression: string, issues: readonly CelIssue[]) {
    const sorted = [...issues].sort((a, b) => a.at - b.at);
    super(sorted.map((issue) => issueText(expression, issue)).join('\n'));
    this.issues = sorted;
  }
}

function issueText(expression: string, { at, message }: CelIssue): string {
  if (at < 0) return `ERROR: <input>:-1:0: ${message}`;
  const characters = [...expression];
  const before = characters.slice(0, at).join('').split('\n');
  const column = [...(before.at(-1) ?? '')];
  const text = expression.split('\n')[before.length - 1] ?? '';
  // Wide dots and a wide mark stand below characters outside of ASCII.
  const isWide = (character = '') => (character.codePointAt(0) ?? 0) > 127;
  const dots = column.map((character) => (isWide(character) ? '．' : '.')).join('');
  return `ERROR: <input>:${before.length}:${column.length + 1}: ${message}\n | ${text}\n | ${dots}${isWide(characters[at]) ? '＾' : '^'}`;
}

/** An evaluation that failed, such as `no such key: x`. */
export class CelEvalError extends Error {}

/** An evaluation that exceeded its cost limit. */
export class CelCostError extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}
