import { type Assertion, parseRegex, type RegexNode, RegexSyntaxError } from './regex-syntax.js';

/** A place of a match, in code points. */
interface Found {
  start: number;
  end: number;
}

/** A compiled regular expression; matching takes time linear in the text, whatever the expression is. */
export interface LinearRegex {
  /** Whether a part of the text matches. */
  test(text: string): boolean;
  /** The matches from left to right, at most `limit`. */
  findAll(text: string, limit?: number): string[];
}

type Step =
  | { op: 'char'; test: (codePoint: number) => boolean }
  | { op: 'assert'; assertion: Assertion }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'match' };

/** Maximum number of steps, which bounds the time for each character. */
const maxSteps = 20_000;

const compiled = new Map<string, LinearRegex>();
const maxCompiled = 500;

/** Compiles a regular expression in the syntax of RE2. Throws a {@link RegexSyntaxError}. */
export function linearRegex(pattern: string): LinearRegex {
  const known = compiled.get(pattern);
  if (known) return known;
  const program: Step[] = [];
  emit(parseRegex(pattern), program);
  program.push({ op: 'match' });
  const regex: LinearRegex = {
    test: (text) => search(program, [...text].map(codeOf), 0, true) !== undefined,
    findAll(text, limit = Number.POSITIVE_INFINITY) {
      const characters = [...text];
      const codes = characters.map(codeOf);
      const all: string[] = [];
      let last = -1;
      for (let from = 0; all.length < limit && from <= codes.length; ) {
        const found = search(program, codes, from, false);
        if (found === undefined) break;
        // An empty match next to the previous one does not count.
        if (found.end > found.start || found.start !== last) all.push(characters.slice(found.start, found.end).join(''));
        last = found.end;
        from = found.end > found.start ? found.end : found.end + 1;
      }
      return all;
    },
  };
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(pattern, regex);
  return regex;
}

const codeOf = (character: string) => character.codePointAt(0) as number;

function push(program: Step[], step: Step): number {
  if (program.length >= maxSteps) throw new RegexSyntaxError('error parsing regexp: expression too large');
  return program.push(step) - 1;
}

function emit(node: RegexNode, program: Step[]): void {
  switch (node.kind) {
    case 'empty':
      return;
    case 'char':
      push(program, { op: 'char', test: node.test });
      return;
    case 'assert':
      push(program, { op: 'assert', assertion: node.assertion });
      return;
    case 'sequence':
      for (const part of node.parts) emit(part, program);
      return;
    case 'choice':
      emitChoice(node.options, program);
      return;
    case 'repeat':
      emitRepeat(node, program);
  }
}

function emitChoice(options: readonly RegexNode[], program: Step[]): void {
  const jumps: { op: 'jump'; to: number }[] = [];
  const last = options.at(-1) as RegexNode;
  for (const option of options.slice(0, -1)) {
    const split = { op: 'split' as const, first: program.length + 1, second: 0 };
    push(program, split);
    emit(option, program);
    const jump = { op: 'jump' as const, to: 0 };
    push(program, jump);
    jumps.push(jump);
    split.second = program.length;
  }
  emit(last, program);
  for (const jump of jumps) jump.to = program.length;
}

function emitRepeat({ node, min, max, isGreedy }: Extract<RegexNode, { kind: 'repeat' }>, program: Step[]): void {
  for (let count = 0; count < min; count++) emit(node, program);
  const splits: { op: 'split'; first: number; second: number }[] = [];
  const branch = () => {
    const split = { op: 'split' as const, first: program.length + 1, second: 0 };
    push(program, split);
    splits.push(split);
    return program.length - 1;
  };
  if (max === Number.POSITIVE_INFINITY) {
    const start = branch();
    emit(node, program);
    push(program, { op: 'jump', to: start });
  } else {
    for (let count = min; count < max; count++) {
      branch();
      emit(node, program);
    }
  }
  for (const split of splits) {
    split.second = program.length;
    if (!isGreedy) [split.first, split.second] = [split.second, split.first];
  }
}

const isWord = (code: number | undefined) =>
  code !== undefined && ((code >= 48 && code < 58) || (code >= 65 && code < 91) || code === 95 || (code >= 97 && code < 123));

function holds(assertion: Assertion, codes: readonly number[], at: number): boolean {
  switch (assertion) {
    case 'textStart':
      return at === 0;
    case 'textEnd':
      return at === codes.length;
    case 'lineStart':
      return at === 0 || codes[at - 1] === 10;
    case 'lineEnd':
      return at === codes.length || codes[at] === 10;
    default:
      return (isWord(codes[at - 1]) !== isWord(codes[at])) === (assertion === 'wordBoundary');
  }
}

/** Simulates all ways to match at once, in the order of their preference; each way knows where it started. */
function search(program: readonly Step[], codes: readonly number[], from: number, isAnyEnough: boolean): Found | undefined {
  let ways: { step: number; start: number }[] = [];
  let found: Found | undefined;
  const visited = new Int32Array(program.length).fill(-1);
  const add = (list: typeof ways, first: number, start: number, at: number) => {
    const open = [first];
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      if (visited[step] === at) continue;
      visited[step] = at;
      const each = program[step] as Step;
      if (each.op === 'jump') open.push(each.to);
      else if (each.op === 'split') open.push(each.second, each.first);
      else if (each.op !== 'assert') list.push({ step, start });
      else if (holds(each.assertion, codes, at)) open.push(step + 1);
    }
  };
  for (let at = from; at <= codes.length; at++) {
    if (found === undefined) {
      // A later start has the least preference; what is visited at this place belongs to earlier starts.
      add(ways, 0, at, at);
    }
    if (ways.length === 0) {
      if (found) return found;
      continue;
    }
    const next: typeof ways = [];
    for (const { step, start } of ways) {
      const each = program[step] as Step;
      if (each.op === 'match') {
        found = { start, end: at };
        if (isAnyEnough) return found;
        break;
      }
      if (each.op === 'char' && at < codes.length && each.test(codes[at] as number)) add(next, step + 1, start, at + 1);
    }
    ways = next;
  }
  return found;
}
