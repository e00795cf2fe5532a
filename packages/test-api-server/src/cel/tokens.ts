import type { CelIssue, Literal } from './expr.js';

/** A token: its text, or the value of a literal. */
export interface Token {
  kind: 'ident' | 'literal' | 'operator' | 'end';
  text: string;
  value?: Literal;
  at: number;
}

/** A syntax error. */
export class SyntaxIssue extends Error {
  readonly issue: CelIssue;

  constructor(at: number, message: string) {
    super(message);
    this.issue = { at, message: `Syntax error: ${message}` };
  }
}

const operators = ['&&', '||', '<=', '>=', '==', '!=', ...'?:.,()[]{}+-*/%<>!'];

const number = /^(?:0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+[uU]?)/;
const identifier = /^[A-Za-z_][A-Za-z0-9_]*/;
const quoted = /^`[A-Za-z0-9_.\-/ ]+`/;
const blank = /^(?:\s+|\/\/[^\n]*)+/;
const string =
  /^(?:[rR][bB]?|[bB][rR]?)?(?:"""(?:\\[\s\S]|(?!""")[\s\S])*"""|'''(?:\\[\s\S]|(?!''')[\s\S])*'''|"(?:\\.|[^"\\\n\r])*"|'(?:\\.|[^'\\\n\r])*')/;
const rawString = /^(?:[rR][bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')/;

/** The tokens of an expression. Throws a {@link SyntaxIssue}. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let rest = text;
  let at = 0;
  const take = (length: number) => {
    const taken = rest.slice(0, length);
    rest = rest.slice(length);
    at += codePoints(taken);
    return taken;
  };
  for (;;) {
    take(blank.exec(rest)?.[0].length ?? 0);
    if (rest === '') break;
    const start = at;
    const stringText = (rawString.exec(rest) ?? string.exec(rest))?.[0];
    const numberText = /^(?:\d|\.\d)/.test(rest) ? number.exec(rest)?.[0] : undefined;
    const operator = operators.find((each) => rest.startsWith(each));
    const name = identifier.exec(rest)?.[0] ?? quoted.exec(rest)?.[0];
    if (stringText !== undefined)
      tokens.push({ kind: 'literal', text: take(stringText.length), value: stringValue(stringText, start), at: start });
    else if (numberText !== undefined && !isMemberDot(rest, tokens)) {
      tokens.push({ kind: 'literal', text: take(numberText.length), value: numberValue(numberText, start), at: start });
    } else if (name !== undefined) {
      take(name.length);
      tokens.push({ kind: 'ident', text: name, at: start });
    } else if (operator !== undefined) tokens.push({ kind: 'operator', text: take(operator.length), at: start });
    else throw new SyntaxIssue(start, `token recognition error at: '${/^.\s*/u.exec(rest)?.[0] ?? rest}'`);
  }
  tokens.push({ kind: 'end', text: '<EOF>', at });
  return tokens;
}

/** Whether `.5` follows an operand, where it cannot be a number. */
function isMemberDot(rest: string, tokens: readonly Token[]): boolean {
  const last = tokens.at(-1);
  return rest.startsWith('.') && last !== undefined && (last.kind === 'ident' || last.text === ')' || last.text === ']');
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function numberValue(text: string, at: number): Literal {
  if (/^0[xX]/.test(text) || /^\d+[uU]?$/.test(text)) {
    const unsigned = /[uU]$/.test(text);
    const value = BigInt(unsigned ? text.slice(0, -1) : text);
    if (unsigned && value >= 1n << 64n) throw new SyntaxIssue(at, 'invalid uint literal');
    // 9223372036854775808 is valid after a minus only; the parser checks that.
    if (!unsigned && value > 1n << 63n) throw new SyntaxIssue(at, 'invalid int literal');
    return unsigned ? { unsigned: value } : value;
  }
  return Number(text);
}

const simpleEscapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
const escapeSequence = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[xX]([0-9a-fA-F]{2})|([0-3][0-7]{2})|([abfnrtv\\?"'`])|([\s\S]))/g;

function stringValue(text: string, at: number): Literal {
  const prefix = /^[a-zA-Z]*/.exec(text)?.[0].toLowerCase() ?? '';
  const quote = /^['"]{3}/.test(text.slice(prefix.length)) ? 3 : 1;
  const body = text.slice(prefix.length + quote, -quote);
  const isBytes = prefix.includes('b');
  if (prefix.includes('r')) return isBytes ? new TextEncoder().encode(body) : body;
  return isBytes ? bytesValue(body, at) : textValue(body, at);
}

function textValue(body: string, at: number): string {
  return body.replace(escapeSequence, (_all, short, long, hex, octal, simple, other) => {
    if (other !== undefined) throw new SyntaxIssue(at, `token recognition error at: '\\${other}'`);
    if (simple !== undefined) return simpleEscapes[simple] ?? simple;
    const code = Number.parseInt(octal ?? short ?? long ?? hex, octal === undefined ? 16 : 8);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new SyntaxIssue(at, 'invalid unicode code point');
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
    if (short !== undefined || long !== undefined || found[6] !== undefined)
      throw new SyntaxIssue(at, `token recognition error at: '${found[0]}'`);
    if (simple !== undefined) bytes.push(...encoder.encode(simpleEscapes[simple] ?? simple));
    else bytes.push(Number.parseInt(octal ?? hex ?? '0', octal === undefined ? 16 : 8));
  }
  return Uint8Array.from([...bytes, ...encoder.encode(body.slice(last))]);
}
