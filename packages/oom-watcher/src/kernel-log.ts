/** A source of kernel messages. */
export interface KernelLog {
  /**
   * Resolves once messages can be read, and rejects if they cannot. Yields the messages from now on, in order, until the signal aborts.
   * Reading pauses while the consumer is busy.
   */
  open(signal: AbortSignal): Promise<AsyncIterable<string>>;
}
