import {
  errorMessage,
  infeasibleExpansion,
  inUseExpansion,
  isOperationFinished,
  NodeAgentError,
  transientOperationFailure,
  uncertainProgress,
} from '@nodeagent/api';
import { type GrpcStatus, grpcStatusOf } from '@nodeagent/plugin-api';
import { csiErrorCodes } from './errors.js';

const prefix = 'kubernetes.io/csi: ';

/** An error of the CSI plugin that says that nothing is mounted. */
export const csiError = (message: string, cause?: unknown) =>
  new NodeAgentError(csiErrorCodes.operationFailed, prefix + message, { retryable: true, cause });

/** An error of the CSI plugin that happened before anything could change. */
export const csiTransient = (message: string, cause?: unknown) => transientOperationFailure(prefix + message, cause);

const openStatuses: ReadonlySet<GrpcStatus> = new Set(['Canceled', 'DeadlineExceeded', 'Unavailable', 'ResourceExhausted', 'Aborted']);

/** Whether a driver's error says that it has given up; after any other it may still be at work. */
export function isFinalCsiError(error: unknown): boolean {
  const status = grpcStatusOf(error);
  return status !== undefined && !openStatuses.has(status);
}

const infeasible: ReadonlySet<GrpcStatus> = new Set(['InvalidArgument', 'OutOfRange', 'NotFound']);

/** What a driver's error says of growing a volume. */
export function csiExpansionVerdict(error: unknown): 'inUse' | 'infeasible' | 'failed' {
  const status = grpcStatusOf(error);
  if (status === 'FailedPrecondition') return 'inUse';
  return status !== undefined && infeasible.has(status) ? 'infeasible' : 'failed';
}

/** A driver's error as the manager reads it: final ones as they are, all others leave the volume uncertain. */
export function asProgress(error: unknown): unknown {
  return isFinalCsiError(error) || !isOperationFinished(error) ? error : uncertainProgress(errorMessage(error), error);
}

/** A driver's error of NodeExpandVolume. */
export function asExpansionError(error: unknown): unknown {
  switch (csiExpansionVerdict(error)) {
    case 'inUse':
      return inUseExpansion(errorMessage(error), error);
    case 'infeasible':
      return infeasibleExpansion(errorMessage(error), error);
    case 'failed': {
      const message = `${prefix}Expander.NodeExpand failed to expand the volume : ${errorMessage(error)}`;
      return isFinalCsiError(error)
        ? new NodeAgentError(csiErrorCodes.operationFailed, message, { retryable: true, cause: error })
        : uncertainProgress(message, error);
    }
  }
}
