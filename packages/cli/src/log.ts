import { type Clock, errorCode, errorHint, errorMessage, type Logger, type LogMethod, type ObjectReference } from '@nodeagent/api';
import { errorText } from './error-text.js';
import { createRepeats } from './repeats.js';
import { paint } from './terminal/paint.js';
import { printable, printableJson } from './terminal/printable.js';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFormat = 'text' | 'json';

export interface LineLoggerOptions {
  level: LogLevel;
  format: LogFormat;
  colours: boolean;
  /** `clock`: only the time of day, for live output. Default `full`. */
  time?: 'full' | 'clock';
  clock: Pick<Clock, 'now'>;
  /** Receives one line without its line end. */
  write(line: string): void;
}

const levelColour = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const;

type Fields = Record<string, unknown>;

/**
 * Creates a logger that writes one line per message: `2026-01-01T00:00:00.000Z WARN  default/web/main message: error text field=value
 * (hint)`, or the same as JSON. In text the message follows its subject (`subject`, else the pod and its container, else `object`); `hint`
 * is that of `err` unless given. JSON has the text of `err` and its code, and at level `debug` the stack; never its details. Repeated
 * warnings and errors are suppressed for a minute, and so are those that wrap a logged cause, because many parts notice an unreachable
 * runtime. At level `debug` nothing is suppressed.
 */
export function createLineLogger(options: LineLoggerOptions): Logger {
  const threshold = logLevels.indexOf(options.level);
  const repeats = createRepeats(options.clock);
  const isRepeat = (level: LogLevel, fields: Fields, message: string, error: unknown) => {
    if (options.level === 'debug' || (level !== 'warn' && level !== 'error')) return false;
    const subject = typeof fields.subject === 'string' ? `${fields.subject} ` : '';
    const { err, hint = '' } = fields;
    const cause = error === undefined ? /: (.*)$/s.exec(message)?.[1] : errorMessage(error);
    if (subject === '' && cause !== undefined && repeats.isCauseLogged(cause)) return true;
    return repeats.isRepeat(`${subject}${message}${err === undefined ? '' : `: ${err}`}${hint === '' ? '' : ` (${hint})`}`);
  };
  const bound = (bindings: object): Logger => {
    const method = (level: LogLevel): LogMethod => {
      if (logLevels.indexOf(level) < threshold) return () => {};
      return (fieldsOrMessage: object | string, text?: string) => {
        const [given, message] = typeof fieldsOrMessage === 'string' ? [{}, fieldsOrMessage] : [fieldsOrMessage, text ?? ''];
        const all: Fields = { ...bindings, ...given };
        const fields = withErrorText(all, options);
        if (!isRepeat(level, fields, message, all.err)) options.write(formatLine(level, fields, message, options));
      };
    };
    return {
      debug: method('debug'),
      info: method('info'),
      warn: method('warn'),
      error: method('error'),
      child: (more) => bound({ ...bindings, ...more }),
    };
  };
  return bound({});
}

function formatLine(
  level: LogLevel,
  fields: Fields,
  message: string,
  { format, colours, time = 'full', clock }: LineLoggerOptions,
): string {
  const entries = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => [key, plain(value)] as const);
  const date = new Date(clock.now());
  const label = level.toUpperCase().padEnd(5);
  const { subject, ...rest } = Object.fromEntries(entries);
  if (format === 'json') return printableJson({ time: date.toISOString(), level, msg: message, ...rest });
  const { hint, code, stack, err, object, pod, containerName, ...others } = rest;
  const about = subject ?? (pod === undefined ? objectText(object) : `${pod}${containerName === undefined ? '' : `/${containerName}`}`);
  const tail = Object.entries(pod === undefined ? { containerName, ...others } : others)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${quoted(value)}`);
  const summary = err === undefined || message.includes(String(err)) ? message : `${message}: ${err}`;
  const text = [...(about === undefined ? [] : [about]), summary, ...tail, ...(hint === undefined ? [] : [`(${hint})`])].join(' ');
  const at = time === 'clock' ? date.toTimeString().slice(0, 8) : date.toISOString();
  return `${at} ${colours ? paint(levelColour[level], label) : label} ${printable(text)}`;
}

/** The fields, with the loggable parts of `err`. */
function withErrorText({ err, ...fields }: Fields, { level, format }: LineLoggerOptions): Fields {
  if (err === undefined) return fields;
  const stack = level === 'debug' && format === 'json' && err instanceof Error ? err.stack : undefined;
  return { ...fields, err: errorText(err), code: fields.code ?? errorCode(err), hint: fields.hint ?? errorHint(err), stack };
}

/** `Pod default/web` for a reference to an object. */
function objectText(object: unknown): string | undefined {
  if (object === undefined || typeof object === 'string') return object;
  const { kind, namespace, name } = object as ObjectReference;
  if (name === undefined) return quoted(object);
  return [kind, namespace ? `${namespace}/${name}` : name].filter(Boolean).join(' ');
}

function plain(value: unknown): unknown {
  if (value instanceof Error) return errorText(value);
  return typeof value === 'bigint' ? value.toString() : value;
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}
