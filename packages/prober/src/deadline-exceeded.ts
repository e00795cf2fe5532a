/** The reason with which a probe's signal aborts at its timeout; other reasons mean that the prober no longer needs the result. */
export const deadlineExceeded = new Error('context deadline exceeded');
