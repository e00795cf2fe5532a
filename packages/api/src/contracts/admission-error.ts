import { NodeAgentError } from './errors.js';

/** The error of a {@link TopologyHintProvider} that refuses a pod: `reason`, which is its code too, and `message` become the pod's. */
export function admissionError(reason: string, message: string, details: Readonly<Record<string, unknown>> = {}): NodeAgentError {
  return new NodeAgentError(reason, message, { details: { ...details, admissionReason: reason } });
}

/** The reason of an {@link admissionError}; undefined for other errors. */
export function admissionReason(error: unknown): string | undefined {
  const reason = (error as { details?: { admissionReason?: unknown } } | null | undefined)?.details?.admissionReason;
  return typeof reason === 'string' ? reason : undefined;
}
