/** One log call in pino's shape: fields and a message, or a message alone. Secrets are never passed in either. See {@link Logger}. */
export interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

/**
 * A logger that pino fits as it is. Everything is silent unless given one. All packages log by one convention, which `scripts/lint`
 * checks and which follows Kubernetes' "Structured and Contextual Logging migration instructions":
 *
 * - The message is a constant text, lower case, without values that a field has.
 * - `err` is what was thrown, never its text: its message, code, hint and causes are for the logger to show. Messages do not repeat it.
 * - `pod` is `namespace/name` ({@link podKey}), `podUID` its UID; `containerName`, `containerID`, `podSandboxID`, `node`.
 * - Other keys are lowerCamelCase; durations carry their unit. Fields are an object literal, without spreads.
 */
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
