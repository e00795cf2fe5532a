/** One log call with pino's signature: fields and a message, or a message alone. Neither contains secrets. See {@link Logger}. */
export interface LogMethod {
  (fields: object, message: string): void;
  (message: string): void;
}

/**
 * The logger of all packages; a pino logger implements it. Default: {@link silentLogger}. All packages follow one convention, which
 * `scripts/lint` checks and which is that of Kubernetes' "Structured and Contextual Logging migration instructions":
 *
 * - The message is constant, in lower case, and repeats no value of a field.
 * - `err` is the thrown value, not its text: the logger formats its message, code, hint and causes. Messages do not repeat it.
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
