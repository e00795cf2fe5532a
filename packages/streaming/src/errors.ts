import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. */
export const streamingErrorCodes = {
  /** The other side broke the protocol, or went over a limit; the connection is over. */
  protocol: 'StreamProtocolError',
  /** A stream was cancelled by the other side, or the connection is gone. */
  reset: 'StreamReset',
  /** A request to upgrade a connection cannot be served. Details: `status`, the HTTP status to answer. */
  unacceptable: 'UpgradeUnacceptable',
} as const;

export const protocolError = (message: string) => new NodeAgentError(streamingErrorCodes.protocol, message);

export const streamReset = (message: string) => new NodeAgentError(streamingErrorCodes.reset, message);

export const unacceptable = (status: number, message: string) =>
  new NodeAgentError(streamingErrorCodes.unacceptable, message, { details: { status } });
