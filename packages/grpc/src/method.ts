/** How the messages of one type become bytes and back. */
export interface GrpcCodec<T> {
  encode(message: T): Buffer;
  /** Throws for bytes that are not such a message. */
  decode(bytes: Uint8Array): T;
}

/** A method that a client calls and a server serves. */
export interface GrpcMethod<Request, Response, Streams extends boolean = boolean> {
  /** `/csi.v1.Node/NodePublishVolume` */
  readonly path: string;
  /** The server answers with any number of messages instead of one. */
  readonly streams: Streams;
  readonly request: GrpcCodec<Request>;
  readonly response: GrpcCodec<Response>;
}
