import { apiErrorCodes, errorCode } from '@nodeagent/api';

/** Whether a volume plugin refused to expand the volume because it is in use. */
export const isInUseExpansionError = (error: unknown) => errorCode(error) === apiErrorCodes.inUseExpansion;

/** Whether a volume plugin can never expand the volume to the requested size. */
export const isInfeasibleError = (error: unknown) => errorCode(error) === apiErrorCodes.infeasibleExpansion;
