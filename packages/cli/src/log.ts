import { type Clock, errorMessage, type Logger, type LogMethod } from '@nodeagent/api';
import { paint } from './terminal/paint.js';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFormat = 'text' | 'json';

export interface LineLoggerOptions {
  level: LogLevel;
  format: LogFormat;
  colours: boolean;
  clock: Pick<Clock, 'now'>;
  /** Takes one line without its end. */
  write(line: string): void;
}

const levelColour = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const;

/** Logs a line a message: `2026-01-01T00:00:00.000Z WARN message field=value`, or the same as JSON. */
export function createLineLogger(options: LineLoggerOptions, bindings: object = {}): Logger {
  const threshold = logLevels.indexOf(options.level);
  const method = (level: LogLevel): LogMethod => {
    if (logLevels.indexOf(level) < threshold) return () => {};
    return (fieldsOrMessage: object | string, text?: string) => {
      const [fields, message] = typeof fieldsOrMessage === 'string' ? [{}, fieldsOrMessage] : [fieldsOrMessage, text ?? ''];
      options.write(formatLine(level, { ...bindings, ...fields }, message, options));
    };
  };
  return {
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    child: (more) => createLineLogger(options, { ...bindings, ...more }),
  };
}

function formatLine(level: LogLevel, fields: object, message: string, { format, colours, clock }: LineLoggerOptions): string {
  const time = new Date(clock.now()).toISOString();
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  if (format === 'json')
    return JSON.stringify({ time, level, msg: message, ...Object.fromEntries(entries.map(([key, value]) => [key, plain(value)])) });
  const label = level.toUpperCase().padEnd(5);
  const tail = entries.map(([key, value]) => ` ${key}=${quoted(plain(value))}`).join('');
  return `${time} ${colours ? paint(levelColour[level], label) : label} ${message}${tail}`;
}

function plain(value: unknown): unknown {
  if (value instanceof Error) return errorMessage(value);
  return typeof value === 'bigint' ? value.toString() : value;
}

function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return typeof value === 'string' && /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}
