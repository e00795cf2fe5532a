/** A parsed regular expression. */
export type RegexNode =
  | { kind: 'empty' }
  | { kind: 'char'; test: (codePoint: number) => boolean }
  | { kind: 'assert'; assertion: Assertion }
  | { kind: 'sequence'; parts: RegexNode[] }
  | { kind: 'choice'; options: RegexNode[] }
  | { kind: 'repeat'; node: RegexNode; min: number; max: number; isGreedy: boolean };

export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'noWordBoundary';

/** A regular expression that RE2 does not accept. */
export class RegexSyntaxError extends Error {}

/** Maximum of counted repetitions, as in RE2. */
const maxRepeat = 1000;
const maxDepth = 200;

const fail = (problem: string, part: string): never => {
  throw new RegexSyntaxError(`error parsing regexp: ${problem}: \`${part}\``);
};

interface Flags {
  i: boolean;
  m: boolean;
  s: boolean;
  U: boolean;
}

/** Parses the syntax of RE2: no backreferences, no lookaround. */
export function parseRegex(pattern: string): RegexNode {
  const parser = new RegexParser(pattern);
  return parser.whole();
}

const perlClasses: Readonly<Record<string, string>> = { d: '0-9', w: '0-9A-Za-z_', s: '\\t\\n\\f\\r ' };

const posixClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const escapes: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

const assertions: Readonly<Record<string, Assertion>> = { A: 'textStart', z: 'textEnd', b: 'wordBoundary', B: 'noWordBoundary' };

/** The test of a class in the notation of JavaScript, such as `[^a-z]`; remembers the ASCII characters. */
function classTest(text: string, ignoreCase: boolean): (codePoint: number) => boolean {
  const expression = new RegExp(`^${text}$`, ignoreCase ? 'iu' : 'u');
  const ascii = Array.from({ length: 128 }, (_, code) => expression.test(String.fromCharCode(code)));
  return (codePoint) => (codePoint < 128 ? (ascii[codePoint] as boolean) : expression.test(String.fromCodePoint(codePoint)));
}

const hex = (codePoint: number) => `\\u{${codePoint.toString(16)}}`;

class RegexParser {
  readonly #text: string[];
  #at = 0;
  #flags: Flags = { i: false, m: false, s: false, U: false };
  #depth = 0;

  constructor(pattern: string) {
    this.#text = [...pattern];
  }

  whole(): RegexNode {
    const node = this.#choice();
    if (this.#at < this.#text.length) fail('unexpected )', this.#text.join(''));
    return node;
  }

  #peek(length = 1): string {
    return this.#text.slice(this.#at, this.#at + length).join('');
  }

  #accept(text: string): boolean {
    if (this.#peek([...text].length) !== text) return false;
    this.#at += [...text].length;
    return true;
  }

  #choice(): RegexNode {
    if (++this.#depth > maxDepth) fail('expression nests too deeply', this.#text.join(''));
    const flags = { ...this.#flags };
    const options = [this.#sequence()];
    while (this.#accept('|')) options.push(this.#sequence());
    this.#flags = flags;
    this.#depth--;
    return options.length === 1 ? (options[0] as RegexNode) : { kind: 'choice', options };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (;;) {
      const next = this.#peek();
      if (next === '' || next === '|' || next === ')') return { kind: 'sequence', parts };
      if ('*+?'.includes(next)) fail('missing argument to repetition operator', next);
      parts.push(this.#repeated(this.#atom()));
    }
  }

  #repeated(atom: RegexNode): RegexNode {
    let node = atom;
    for (let count = 0; ; count++) {
      const start = this.#at;
      const range = this.#range();
      if (range === undefined) return node;
      if (count > 0) fail('invalid nested repetition operator', this.#text.slice(start - 1, this.#at).join(''));
      const isLazy = this.#accept('?');
      node = { kind: 'repeat', node, min: range[0], max: range[1], isGreedy: isLazy === this.#flags.U };
    }
  }

  #range(): [number, number] | undefined {
    if (this.#accept('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#accept('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#accept('?')) return [0, 1];
    const found = /^\{(\d+)(,?)(\d*)\}/.exec(this.#peek(14));
    if (!found) return undefined;
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === '' ? min : found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (min > maxRepeat || (max !== Number.POSITIVE_INFINITY && max > maxRepeat) || max < min) fail('invalid repeat count', found[0]);
    return [min, max];
  }

  #atom(): RegexNode {
    const character = this.#text[this.#at++] as string;
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '.':
        return { kind: 'char', test: this.#flags.s ? () => true : (codePoint) => codePoint !== 10 };
      case '^':
        return { kind: 'assert', assertion: this.#flags.m ? 'lineStart' : 'textStart' };
      case '$':
        return { kind: 'assert', assertion: this.#flags.m ? 'lineEnd' : 'textEnd' };
      case '\\':
        return this.#escaped();
      default:
        return this.#literal(character);
    }
  }

  #literal(character: string): RegexNode {
    const code = character.codePointAt(0) as number;
    if (!this.#flags.i) return { kind: 'char', test: (codePoint) => codePoint === code };
    return { kind: 'char', test: classTest(`[${hex(code)}]`, true) };
  }

  #group(): RegexNode {
    if (this.#accept('?')) {
      const name = /^P?<([A-Za-z0-9_]+)>/.exec(this.#peek(80));
      if (name) this.#at += name[0].length;
      else {
        const flags = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(this.#peek(16));
        if (!flags) return fail('invalid or unsupported Perl syntax', `(?${this.#peek(1)}`);
        this.#at += flags[0].length;
        const before = this.#flags;
        this.#flags = { ...before };
        for (const flag of flags[1] ?? '') this.#flags[flag as keyof Flags] = true;
        for (const flag of flags[2] ?? '') this.#flags[flag as keyof Flags] = false;
        if (flags[3] === ')') return { kind: 'empty' };
        const inner = this.#closed();
        this.#flags = before;
        return inner;
      }
    }
    return this.#closed();
  }

  #closed(): RegexNode {
    const inner = this.#choice();
    if (!this.#accept(')')) fail('missing closing )', this.#text.join(''));
    return inner;
  }

  #escaped(): RegexNode {
    const next = this.#peek();
    const assertion = assertions[next];
    if (assertion && Object.hasOwn(assertions, next)) {
      this.#at++;
      return { kind: 'assert', assertion };
    }
    if (this.#accept('Q')) {
      const parts: RegexNode[] = [];
      while (this.#at < this.#text.length && !this.#accept('\\E')) parts.push(this.#literal(this.#text[this.#at++] as string));
      return { kind: 'sequence', parts };
    }
    const text = this.#classEscape();
    return { kind: 'char', test: classTest(`[${text}]`, this.#flags.i) };
  }

  /** The part of a JavaScript class for what follows a backslash. */
  #classEscape(): string {
    const next = this.#text[this.#at++] ?? fail('trailing backslash at end of expression', '');
    if (Object.hasOwn(perlClasses, next)) return perlClasses[next] as string;
    const lower = next.toLowerCase();
    if (next !== lower && Object.hasOwn(perlClasses, lower)) return this.#negated(perlClasses[lower] as string);
    if (lower === 'p') return this.#property(next);
    if (Object.hasOwn(escapes, next)) return hex(escapes[next] as number);
    if (next === 'x') return hex(this.#hexCode());
    const octal = /^[0-7]{1,3}/.exec(next + this.#peek(2));
    if (octal && (next === '0' || octal[0].length > 1)) {
      this.#at += octal[0].length - 1;
      return hex(Number.parseInt(octal[0], 8));
    }
    if (/[A-Za-z0-9]/.test(next)) fail('invalid escape sequence', `\\${next}`);
    return hex(next.codePointAt(0) as number);
  }

  /** JavaScript before `v` has no classes within classes: the complement of a few ASCII ranges is written out. */
  #negated(text: string): string {
    const test = classTest(`[${text}]`, false);
    let ranges = '\\u{80}-\\u{10ffff}';
    for (let code = 0; code < 128; code++) if (!test(code)) ranges += hex(code);
    return ranges;
  }

  #hexCode(): number {
    const found = /^(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{2}))/.exec(this.#peek(8));
    if (!found) return fail('invalid escape sequence', '\\x');
    this.#at += found[0].length;
    return Number.parseInt(found[1] ?? found[2] ?? '0', 16);
  }

  #property(letter: string): string {
    const found = /^(?:\{(\^?)(\w+)\}|(\w))/.exec(this.#peek(40));
    if (!found) return fail('invalid character class range', `\\${letter}`);
    this.#at += found[0].length;
    const isNegated = (letter === 'P') !== (found[1] === '^');
    const name = found[3] ?? found[2] ?? '';
    for (const property of [name, `Script=${name}`]) {
      const text = `\\${isNegated ? 'P' : 'p'}{${property}}`;
      try {
        new RegExp(text, 'u');
        return text;
      } catch {
        // Not a category: it may be a script.
      }
    }
    return fail('invalid character class range', `\\${letter}{${name}}`);
  }

  #class(): RegexNode {
    const start = this.#at - 1;
    const isNegated = this.#accept('^');
    let text = '';
    for (let first = true; first || !this.#accept(']'); first = false) {
      if (this.#at >= this.#text.length) fail('missing closing ]', this.#text.slice(start).join(''));
      const posix = /^\[:(\^?)(\w+):\]/.exec(this.#peek(14));
      if (posix) {
        const inner = posixClasses[posix[2] ?? ''] ?? fail('invalid character class range', posix[0]);
        this.#at += posix[0].length;
        text += posix[1] ? this.#negated(inner) : inner;
      } else text += this.#classRange();
    }
    const test = classTest(`[${text}]`, this.#flags.i);
    return { kind: 'char', test: isNegated ? (codePoint) => !test(codePoint) : test };
  }

  #classRange(): string {
    const low = this.#classChar();
    if (this.#peek() !== '-' || this.#peek(2) === '-]' || this.#at + 1 >= this.#text.length) return low;
    this.#at++;
    const high = this.#classChar();
    const [from, to] = [low, high].map((each) => Number.parseInt(/^\\u\{([0-9a-f]+)\}$/.exec(each)?.[1] ?? '', 16)) as [number, number];
    if (Number.isNaN(from) || Number.isNaN(to) || from > to) fail('invalid character class range', `${low}-${high}`);
    return `${low}-${high}`;
  }

  #classChar(): string {
    const character = this.#text[this.#at++] as string;
    return character === '\\' ? this.#classEscape() : hex(character.codePointAt(0) as number);
  }
}
