import { CelEvalError } from '../cel-error.js';

/** A clause of a format, such as `%.2f`. */
export interface FormatClause {
  verb: string;
  /** Digits behind the point. Default 6. */
  precision: number;
  /** Why a value of a type cannot be formatted. */
  typeProblem(typeName: string): string | undefined;
}

const numbers = ['int', 'uint'];
const shown = ['string', 'bool', 'bytes', ...numbers, 'double', 'map', 'list', 'type', 'duration', 'timestamp', 'null', 'null_type'];

/** What each verb formats, and how errors name that. */
const verbs: Readonly<Record<string, { types: readonly string[]; takes: string }>> = {
  s: {
    types: [...shown, 'google.protobuf.Duration', 'google.protobuf.Timestamp'],
    takes: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { types: numbers, takes: 'decimal clause can only be used on integers' },
  f: { types: ['double', 'string'], takes: 'fixed-point clause can only be used on doubles' },
  e: { types: ['double', 'string'], takes: 'scientific clause can only be used on doubles' },
  b: { types: [...numbers, 'bool'], takes: 'only integers and bools can be formatted as binary' },
  o: { types: numbers, takes: 'octal clause can only be used on integers' },
  x: { types: [...numbers, 'string', 'bytes'], takes: 'only integers, byte buffers, and strings can be formatted as hex' },
};

/** The texts and clauses of a format. Throws a `CelEvalError`. */
export function formatClauses(pattern: string): (string | FormatClause)[] {
  const parts: (string | FormatClause)[] = [];
  for (let at = 0; at < pattern.length; ) {
    const percent = pattern.indexOf('%', at);
    parts.push(pattern.slice(at, percent < 0 ? undefined : percent));
    if (percent < 0) break;
    const [text, clause] = clauseAt(pattern, percent + 1);
    parts.push(clause);
    at = percent + 1 + text.length;
  }
  return parts;
}

/** What follows a percent sign: its text, and what that means. */
function clauseAt(pattern: string, at: number): [text: string, clause: string | FormatClause] {
  const rest = pattern.slice(at);
  if (rest === '') throw new CelEvalError('unexpected end of string');
  if (rest.startsWith('%')) return ['%', '%'];
  const [dot = '', digits = ''] = /^\.(\d*)/.exec(rest) ?? [];
  const verb = /^[\s\S]/u.exec(rest.slice(dot.length))?.[0];
  const refused = (why: string) => new CelEvalError(`could not parse formatting clause: ${why}`);
  if (dot !== '' && verb === undefined) throw refused('error while parsing precision: could not find end of precision specifier');
  if (dot === '.') {
    throw refused('error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax');
  }
  if (Number(digits) > 1000) throw refused('error while parsing precision: precision is too large');
  const known = Object.hasOwn(verbs, verb === 'X' ? 'x' : (verb as string)) ? verbs[(verb as string).toLowerCase()] : undefined;
  if (verb === undefined || known === undefined) throw refused(`unrecognized formatting clause "${verb}"`);
  const typeProblem = (typeName: string) => (known.types.includes(typeName) ? undefined : `${known.takes}, was given ${typeName}`);
  return [dot + verb, { verb, precision: digits === '' ? 6 : Number(digits), typeProblem }];
}
