/** One log call in pino's shape: fields and a message, or a message alone. Secrets are never passed in either. */
export interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

/** A logger that pino fits as it is. Everything is silent unless given one. */
export interface Logger {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
  /** A logger that adds `bindings` to each line. */
  child(bindings: object): Logger;
}

const nothing: LogMethod = () => {};

export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentLogger,
};
