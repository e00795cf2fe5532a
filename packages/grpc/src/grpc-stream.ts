/** The messages of a streaming call. */
export interface GrpcStream<T> extends AsyncIterableIterator<T, undefined> {
  return(): Promise<IteratorResult<T, undefined>>;
}
