/** What every CRI call takes beside its request. */
export interface CallOptions {
  /** Ends the call; the promise rejects, a stream stops. */
  signal?: AbortSignal;
  /** Deadline in milliseconds. Default: the client's own for the method; 0 means none. */
  timeoutMs?: number;
}
