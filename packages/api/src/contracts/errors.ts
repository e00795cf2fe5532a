/** Options of a {@link NodeAgentError}. */
export interface NodeAgentErrorOptions {
  /** Whether the same call may succeed later without a change by the user. Default false. */
  retryable?: boolean;
  /** What the user can do about the error, as a sentence. */
  hint?: string;
  /** Machine-readable values such as the field, the path or the exit code. Never contains secrets. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

/**
 * The error of every package. Compare `code`, never the class: several copies of this package may be loaded.
 * Each package lists its codes in its `errors.ts`; where the kubelet has a wording, `message` has it.
 */
export class NodeAgentError extends Error {
  override readonly name = 'NodeAgentError';
  readonly code: string;
  readonly retryable: boolean;
  readonly hint?: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options: NodeAgentErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    if (options.hint !== undefined) this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

/** The code of a {@link NodeAgentError}, also of one that another copy of this package created; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The message of a thrown value, which may be any value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The first hint of an error or of one of its causes; undefined without any. */
export function errorHint(error: unknown): string | undefined {
  for (let depth = 0, rest = [error]; rest.length > 0 && depth < maxCauses; depth++) {
    const [first, ...others] = rest;
    const { hint, cause, errors } = (first ?? {}) as { hint?: unknown; cause?: unknown; errors?: unknown };
    if (typeof hint === 'string' && hint !== '') return hint;
    rest = [...(cause === undefined ? [] : [cause]), ...(Array.isArray(errors) ? errors : []), ...others];
  }
  return undefined;
}

/** Limits the walk, because a chain of causes may be circular. */
const maxCauses = 32;
