import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. */
export const streamingErrorCodes = {
  /** The peer violated the protocol or exceeded a limit; the connection is closed. */
  protocol: 'StreamProtocolError',
  /** The peer cancelled the stream, or the connection was lost. */
  reset: 'StreamReset',
  /** An upgrade request cannot be served. Details: `status`, the HTTP status to respond with. */
  unacceptable: 'UpgradeUnacceptable',
} as const;

export const protocolError = (message: string) => new NodeAgentError(streamingErrorCodes.protocol, message);

export const streamReset = (message: string) => new NodeAgentError(streamingErrorCodes.reset, message);

export const unacceptable = (status: number, message: string) =>
  new NodeAgentError(streamingErrorCodes.unacceptable, message, { details: { status } });
