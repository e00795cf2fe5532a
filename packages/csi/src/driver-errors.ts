import { errorMessage, infeasibleExpansion, inUseExpansion, isOperationFinished, NodeAgentError, uncertainProgress } from '@nodeagent/api';
import { type GrpcStatus, grpcStatusOf } from '@nodeagent/plugin-api';
import { csiErrorCodes } from './errors.js';
import { errorPrefix } from './failures.js';

const openStatuses: ReadonlySet<GrpcStatus> = new Set(['Canceled', 'DeadlineExceeded', 'Unavailable', 'ResourceExhausted', 'Aborted']);

/** Whether a driver's error is final; after any other error the driver may still be working. */
export function isFinalCsiError(error: unknown): boolean {
  const status = grpcStatusOf(error);
  return status !== undefined && !openStatuses.has(status);
}

const infeasible: ReadonlySet<GrpcStatus> = new Set(['InvalidArgument', 'OutOfRange', 'NotFound']);

/** The meaning of a driver's error of an expansion. */
export function csiExpansionVerdict(error: unknown): 'inUse' | 'infeasible' | 'failed' {
  const status = grpcStatusOf(error);
  if (status === 'FailedPrecondition') return 'inUse';
  return status !== undefined && infeasible.has(status) ? 'infeasible' : 'failed';
}

/** A driver's error for the volume manager: final errors unchanged, all others as uncertain progress. */
export function asProgress(error: unknown): unknown {
  return isFinalCsiError(error) || !isOperationFinished(error) ? error : uncertainProgress(errorMessage(error), error);
}

/** An error of NodeExpandVolume for the volume manager. */
export function asExpansionError(error: unknown): unknown {
  switch (csiExpansionVerdict(error)) {
    case 'inUse':
      return inUseExpansion(errorMessage(error), error);
    case 'infeasible':
      return infeasibleExpansion(errorMessage(error), error);
    case 'failed': {
      const message = `${errorPrefix}Expander.NodeExpand failed to expand the volume : ${errorMessage(error)}`;
      return isFinalCsiError(error)
        ? new NodeAgentError(csiErrorCodes.operationFailed, message, { retryable: true, cause: error })
        : uncertainProgress(message, error);
    }
  }
}
