import type { CelIssue, Literal } from './expr.js';

/** A token: its text, or the value of a literal. */
export interface Token {
  kind: 'ident' | 'literal' | 'operator' | 'end';
  text: string;
  value?: Literal;
  at: number;
}

/** A problem that ends the parsing of an expression. */
export class ParseIssue extends Error {
  readonly issue: CelIssue;

  constructor(at: number, message: string) {
    super(message);
    this.issue = { at, message };
  }
}

/** A problem of the grammar. */
export const syntaxIssue = (at: number, message: string): CelIssue => ({ at, message: `Syntax error: ${message}` });

const operators = ['&&', '||', '<=', '>=', '==', '!=', ...'?:.,()[]{}+-*/%<>!'];

const number = /^(?:0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+[uU]?)/;
const identifier = /^[A-Za-z_][A-Za-z0-9_]*/;
const quoted = /^`[A-Za-z0-9_.\-/ ]+`/;
const blank = /^(?:[\t\n\f\r ]+|\/\/[^\n]*)+/;
const escaped = String.raw`\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|[abfnrtv\\?"'\x60])`;
/** What precedes the place where a text cannot go on, by its quote. */
const unfinished: Readonly<Record<string, RegExp>> = {
  '"': new RegExp(`^"(?:${escaped}|[^"\\\\\\n\\r])*`),
  "'": new RegExp(`^'(?:${escaped}|[^'\\\\\\n\\r])*`),
};
const string = new RegExp(
  `^[bB]?(?:"""(?:${escaped}|(?!""")[^\\\\])*"""|'''(?:${escaped}|(?!''')[^\\\\])*'''|"(?:${escaped}|[^"\\\\\\n\\r])*"|'(?:${escaped}|[^'\\\\\\n\\r])*')`,
);
const rawString = /^(?:[rR][bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/;

/** The tokens of an expression, without the places that are none; those are among the issues. */
export function tokensOf(text: string): { tokens: Token[]; issues: CelIssue[] } {
  const tokens: Token[] = [];
  const issues: CelIssue[] = [];
  let rest = text;
  let at = 0;
  const take = (length: number) => {
    const taken = rest.slice(0, length);
    rest = rest.slice(length);
    at += codePoints(taken);
    return taken;
  };
  const push = (kind: Token['kind'], length: number, read?: (text: string, at: number) => Literal) => {
    const start = at;
    const taken = take(length);
    tokens.push({ kind, text: taken, at: start, ...(read && { value: read(taken, start) }) });
  };
  for (;;) {
    take(blank.exec(rest)?.[0].length ?? 0);
    if (rest === '') break;
    const stringText = (rawString.exec(rest) ?? string.exec(rest))?.[0];
    const numberText = /^(?:\d|\.\d)/.test(rest) ? number.exec(rest)?.[0] : undefined;
    const operator = operators.find((each) => rest.startsWith(each));
    const name = identifier.exec(rest)?.[0] ?? quoted.exec(rest)?.[0];
    if (stringText !== undefined) push('literal', stringText.length, stringValue);
    else if (numberText !== undefined) push('literal', numberText.length, numberValue);
    else if (name !== undefined) push('ident', name.length);
    else if (operator !== undefined) push('operator', operator.length);
    else issues.push(syntaxIssue(at, `token recognition error at: '${take(unknownLength(rest))}'`));
  }
  tokens.push({ kind: 'end', text: '<EOF>', at });
  return { tokens, issues };
}

/** The length of what cannot be a token: up to the first character that no token can have there. */
function unknownLength(rest: string): number {
  const first = rest[0] as string;
  const start = unfinished[first]?.exec(rest)?.[0] ?? /^`[A-Za-z0-9_.\-/ ]*/.exec(rest)?.[0] ?? /^[=&|]/.exec(rest)?.[0] ?? '';
  // A backslash begins an escape, whose next character decides.
  const cut =
    start !== '' && unfinished[first]
      ? (/^\\(?:u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[xX][0-9a-fA-F]?|[0-3][0-7]?)?/.exec(rest.slice(start.length))?.[0] ?? '')
      : '';
  const wrong = rest.slice(start.length + cut.length);
  return start.length + cut.length + (/^[\s\S]/u.exec(wrong)?.[0].length ?? 0);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The value of a number; the parser, which knows its sign, checks the range of an int. */
function numberValue(text: string, at: number): Literal {
  if (/^0[xX]/.test(text) || /^\d+[uU]?$/.test(text)) {
    const unsigned = /[uU]$/.test(text);
    const value = BigInt(unsigned ? text.slice(0, -1) : text);
    if (unsigned && value >= 1n << 64n) throw new ParseIssue(at, 'invalid uint literal');
    return unsigned ? { unsigned: value } : value;
  }
  return Number(text);
}

const simpleEscapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const escapeSequence = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xX]([0-9a-fA-F]{2})|([0-3][0-7]{2})|([abfnrtv\\?"'`]))/g;

function stringValue(text: string, at: number): Literal {
  const prefix = /^[a-zA-Z]*/.exec(text)?.[0].toLowerCase() ?? '';
  const quote = /^['"]{3}/.test(text.slice(prefix.length)) ? 3 : 1;
  const body = text.slice(prefix.length + quote, -quote);
  const isBytes = prefix.includes('b');
  if (prefix.includes('r')) return isBytes ? new TextEncoder().encode(body) : body;
  return isBytes ? bytesValue(body, at) : textValue(body, at);
}

function textValue(body: string, at: number): string {
  return body.replace(escapeSequence, (_all, short, long, hex, octal, simple) => {
    if (simple !== undefined) return simpleEscapes[simple] ?? simple;
    const code = Number.parseInt(octal ?? short ?? long ?? hex, octal === undefined ? 16 : 8);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new ParseIssue(at, 'invalid unicode code point');
    return String.fromCodePoint(code);
  });
}

function bytesValue(body: string, at: number): Uint8Array {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  let last = 0;
  for (const found of body.matchAll(escapeSequence)) {
    bytes.push(...encoder.encode(body.slice(last, found.index)));
    last = found.index + found[0].length;
    const [, short, long, hex, octal, simple] = found;
    if (short !== undefined || long !== undefined) throw new ParseIssue(at, 'unable to unescape string');
    if (simple !== undefined) bytes.push(...encoder.encode(simpleEscapes[simple] ?? simple));
    else bytes.push(Number.parseInt(octal ?? hex ?? '0', octal === undefined ? 16 : 8));
  }
  return Uint8Array.from([...bytes, ...encoder.encode(body.slice(last))]);
}
