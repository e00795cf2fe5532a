import { errorMessage, type Logger, type LogMethod } from '@nodeagent/api';

/** A logged line. */
export interface LoggedLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  /** The call's fields and the bindings of the parent loggers. */
  fields: Record<string, unknown>;
}

/** A logger that records its lines. */
export interface RecordingLogger extends Logger {
  /** The lines, oldest first, including those of child loggers. */
  readonly lines: readonly LoggedLine[];
  child(bindings: object): RecordingLogger;
  /** The messages of one level, or all. */
  messages(level?: LoggedLine['level']): string[];
  /** The messages followed by that of `err`: `cannot list pods: no such device`. */
  texts(level?: LoggedLine['level']): string[];
  clear(): void;
}

/** Records the last `limit` lines (default 10,000). */
export function createRecordingLogger(limit = 10_000): RecordingLogger {
  return loggerInto([], limit, {});
}

function loggerInto(lines: LoggedLine[], limit: number, bindings: object): RecordingLogger {
  const method =
    (level: LoggedLine['level']): LogMethod =>
    (fields: object | string, message?: string) => {
      if (lines.length >= limit) lines.shift();
      const line =
        typeof fields === 'string'
          ? { message: fields, fields: { ...bindings } }
          : { message: message ?? '', fields: { ...bindings, ...fields } };
      lines.push({ level, ...line });
    };
  const linesOf = (level: LoggedLine['level'] | undefined) => lines.filter((line) => level === undefined || line.level === level);
  return {
    lines,
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    child: (more) => loggerInto(lines, limit, { ...bindings, ...more }),
    messages: (level) => linesOf(level).map(({ message }) => message),
    texts: (level) =>
      linesOf(level).map(({ message, fields: { err } }) => (err === undefined ? message : `${message}: ${errorMessage(err)}`)),
    clear() {
      lines.length = 0;
    },
  };
}
