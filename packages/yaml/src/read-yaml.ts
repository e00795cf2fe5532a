import { errorMessage } from '@nodeagent/api';
import { utf8Length } from '@nodeagent/api/helpers';
import type * as Yaml from 'yaml';
import { YamlLimitError, yamlLimits } from './yaml-limits.js';
import { type AliasBudget, toYamlValue, writtenScalar, YamlValueError } from './yaml-values.js';

/** One document of a YAML text: its value or its problem. */
export interface YamlDocument {
  /** Number of the document, from 1, including empty ones. */
  document: number;
  /** Null for a document without content. */
  value?: unknown;
  /** Lines of duplicate keys; the last value counts. */
  duplicateLines: number[];
  problem?: YamlProblem;
}

export interface YamlProblem {
  /** `LIMIT`, `ENCODING`, or the kind of syntax error, such as `BAD_INDENT`. */
  code: string;
  line?: number;
  /** One line. Unless the code is `LIMIT` or `ENCODING`, it may quote the text, which may contain secrets. */
  message: string;
}

const options: Yaml.ParseOptions & Yaml.DocumentOptions & Yaml.SchemaOptions = {
  version: '1.1',
  // The library's check compares each key with all earlier ones; toYamlValue finds duplicates in linear time.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
  customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !isSpecial(tag)),
};

/** Kubernetes reads times and dates as strings, and supports none of YAML's other collections. */
function isSpecial({ tag, format }: { tag: string; format?: string }): boolean {
  return format === 'TIME' || /:(timestamp|binary|omap|pairs|set)$/.test(tag);
}

/**
 * Parses the documents of a YAML text as Kubernetes does: YAML 1.1 (`yes` is a boolean, `0644` is octal), but times and dates are strings.
 * Runs in linear time and refuses a text that exceeds {@link yamlLimits}. Never rejects; problems are in the documents.
 */
export async function readYaml(text: string): Promise<YamlDocument[]> {
  if (isUtf16(text)) return [{ document: 1, duplicateLines: [], problem: { code: 'ENCODING', message: 'the text is UTF-16, not UTF-8' } }];
  if (utf8Length(text) > yamlLimits.bytes) return [refusal(1, new YamlLimitError('bytes'))];
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const spent = { aliases: 0, aliasedValues: 0 };
  const documents: YamlDocument[] = [];
  try {
    for (const document of parse(yaml, text, lines)) {
      if (documents.length === yamlLimits.documents) throw new YamlLimitError('documents');
      documents.push(readDocument(document, documents.length + 1, { yaml, lines, spent }));
    }
    return documents;
  } catch (error) {
    return [refusal(1, error, lines)];
  }
}

/**
 * How a text writes its scalars, for error messages: `0644` for the number 420. It takes the number of a document and a path of keys and
 * indexes, and returns undefined for a map, a list, a missing value, and behind an alias. Never rejects.
 */
export async function readScalars(text: string): Promise<(document: number, path: readonly (string | number)[]) => string | undefined> {
  if (utf8Length(text) > yamlLimits.bytes) return () => undefined;
  const yaml = await import('yaml');
  const roots: unknown[] = [];
  try {
    for (const { contents } of parse(yaml, text, new yaml.LineCounter())) if (roots.push(contents) === yamlLimits.documents) break;
  } catch {
    // The documents before the limit are known.
  }
  return (document, path) => writtenScalar(yaml, roots[document - 1], path);
}

/** Whether a text that was decoded as UTF-8 is UTF-16: its byte order mark is invalid UTF-8, and without one each second byte is 0. */
function isUtf16(text: string): boolean {
  return text.startsWith('\ufffd\ufffd') || text.slice(0, 2).includes('\0');
}

interface Reading {
  yaml: typeof Yaml;
  lines: Yaml.LineCounter;
  spent: AliasBudget;
}

function readDocument(
  { errors, contents, directives }: Yaml.Document.Parsed,
  document: number,
  { yaml, lines, spent }: Reading,
): YamlDocument {
  const [error] = errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    const message = `${error.message.split('\n', 1)[0]} at line ${line}, column ${col}`;
    return { document, duplicateLines: [], problem: { code: error.code, line, message } };
  }
  // The library would read it by the rules of YAML 1.2, with other tags and booleans; Kubernetes refuses it.
  if (directives.yaml.version !== options.version) {
    return {
      document,
      duplicateLines: [],
      problem: { code: 'BAD_DIRECTIVE', message: 'found incompatible YAML document: only YAML 1.1 is read' },
    };
  }
  try {
    const { value, duplicates } = toYamlValue(yaml, contents, spent);
    return { document, value, duplicateLines: duplicates.map((offset) => lines.linePos(offset).line) };
  } catch (failure) {
    return refusal(document, failure, lines);
  }
}

/** The library's pipeline, stopped at excessive depth or at an error that invalidates the rest of the text. */
function* parse(yaml: typeof Yaml, text: string, lines: Yaml.LineCounter): Generator<Yaml.Document.Parsed> {
  const parser = new yaml.Parser(lines.addNewLine);
  const composer = new yaml.Composer({ ...options, lineCounter: lines });
  keepFirstError(composer);
  const { stack } = parser as unknown as { stack: readonly unknown[] };
  lines.addNewLine(0);
  for (const lexeme of new yaml.Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      yield* composer.next(token) as Generator<Yaml.Document.Parsed>;
      if (token.type === 'error') return yield* composer.end(true, text.length) as Generator<Yaml.Document.Parsed>;
    }
    if (stack.length > yamlLimits.depth) throw new YamlLimitError('depth');
  }
  for (const token of parser.end()) yield* composer.next(token) as Generator<Yaml.Document.Parsed>;
  yield* composer.end() as Generator<Yaml.Document.Parsed>;
}

type Report = (source: unknown, code: string, message: string, isWarning?: boolean) => void;

/**
 * Reports only the first error of a document: a text can have one at each character, and each costs a stack trace. Unknown directives and versions
 * are errors, as for Kubernetes.
 */
function keepFirstError(composer: Yaml.Composer): void {
  const internals = composer as unknown as { onError: Report; errors: readonly unknown[] };
  const report = internals.onError;
  internals.onError = (source, code, message, isWarning) => {
    if ((!isWarning || code === 'BAD_DIRECTIVE') && internals.errors.length === 0) report(source, code, message);
  };
}

function refusal(document: number, error: unknown, lines?: Yaml.LineCounter): YamlDocument {
  const message = errorMessage(error).split('\n', 1)[0] ?? '';
  if (error instanceof YamlLimitError) return { document, duplicateLines: [], problem: { code: 'LIMIT', message } };
  const offset = error instanceof YamlValueError ? error.offset : undefined;
  const line = offset === undefined ? undefined : lines?.linePos(offset).line;
  const place = line === undefined ? '' : ` at line ${line}`;
  return { document, duplicateLines: [], problem: { code: 'BAD_VALUE', ...(line !== undefined && { line }), message: message + place } };
}
