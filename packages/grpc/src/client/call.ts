import { type Clock, errorMessage, type Timer } from '@nodeagent/api';
import { type GrpcStatus, grpcError } from '../errors.js';
import type { Channel } from './channel.js';
import type { Headers } from './hpack.js';
import { type MessageEvents, MessageReader } from './message-reader.js';
import type { Session, Stream } from './session.js';
import { failureOf, notConnected } from './status.js';
import type { StreamEnd, StreamEvents } from './streams.js';

/** What all calls of a client share. */
export interface CallContext {
  channel: Channel;
  clock: Pick<Clock, 'setTimeout'>;
  maxReceiveMessageBytes: number;
  running: Set<Call>;
}

export interface CallRequest {
  headerBlock: Buffer;
  /** The request with gRPC's prefix. */
  body: Buffer;
  /** Deadline in milliseconds from now; undefined for none. */
  timeoutMs: number | undefined;
  signal: AbortSignal | undefined;
}

/** Receives the response of a call. */
export interface CallEvents {
  /** A message, whose bytes are valid only during the call. An error fails the call with `Internal`. */
  message(bytes: Buffer): void;
  /** Whether the consumer has messages to read, so that the server need not send more until `release`. */
  hasUnread(): boolean;
  /** The call is over, with an error or successfully. Called once. */
  end(error?: unknown): void;
}

/** One gRPC call. It ends with the server's status, at its deadline, when its signal aborts or with `cancel`. */
export class Call implements StreamEvents, MessageEvents {
  readonly #context: CallContext;
  readonly #request: CallRequest;
  readonly #events: CallEvents;
  readonly #reader: MessageReader;
  readonly #deadline: Timer | undefined;
  readonly #onAbort: (() => void) | undefined;
  #stream: Stream | undefined;
  #headers: Headers | undefined;
  #trailers: Headers | undefined;
  /** Received bytes that the server's window does not have back yet. */
  #heldBytes = 0;
  #isRetry = false;
  #isOver = false;

  constructor(context: CallContext, request: CallRequest, events: CallEvents) {
    this.#context = context;
    this.#request = request;
    this.#events = events;
    this.#reader = new MessageReader(context.maxReceiveMessageBytes, this);
    const { timeoutMs, signal } = request;
    context.running.add(this);
    if (signal !== undefined) {
      this.#onAbort = () => this.cancel(signal.reason);
      signal.addEventListener('abort', this.#onAbort);
    }
    if (timeoutMs !== undefined) {
      this.#deadline = context.clock.setTimeout(() => this.fail('DeadlineExceeded', 'context deadline exceeded'), timeoutMs);
    }
    this.#start();
  }

  /** Cancels the request and ends the call with the error; without one successfully. */
  cancel(error: unknown): void {
    this.#stream?.cancel();
    this.#finish(error);
  }

  fail(status: GrpcStatus, description: string): void {
    this.cancel(grpcError(status, description));
  }

  /** The consumer has read all messages. */
  release(): void {
    this.#stream?.consume(this.#heldBytes);
    this.#heldBytes = 0;
  }

  headers(headers: Headers, isLast: boolean): void {
    // An informational response precedes the actual one.
    if (headers.get(':status')?.startsWith('1')) return;
    this.#headers ??= headers;
    if (isLast) this.#trailers = headers;
  }

  data(bytes: Buffer): void {
    this.#heldBytes += bytes.length;
    // The body of another HTTP status is for people, not a message.
    if (this.#headers?.get(':status') === '200') this.#reader.push(bytes);
    if (!this.#events.hasUnread()) this.release();
  }

  message(bytes: Buffer): boolean {
    try {
      this.#events.message(bytes);
    } catch (error) {
      this.fail('Internal', `Response message parsing error: ${errorMessage(error)}`);
    }
    return !this.#isOver;
  }

  tooLarge(bytes: number): void {
    this.fail('ResourceExhausted', `Received message larger than max (${bytes} vs ${this.#context.maxReceiveMessageBytes})`);
  }

  compressed(): void {
    this.fail('Internal', 'Received compressed message but "grpc-encoding" header was identity');
  }

  end(end: StreamEnd): void {
    if (end.kind === 'refused' && !this.#isRetry) {
      this.#isRetry = true;
      this.#start();
    } else this.#finish(failureOf(end, this.#headers, this.#trailers));
  }

  #start(): void {
    let session: Session;
    try {
      session = this.#context.channel.session();
    } catch (error) {
      this.#finish(notConnected(error));
      return;
    }
    this.#stream = session.open(this.#request.headerBlock, this.#request.body, this);
  }

  #finish(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline?.cancel();
    if (this.#onAbort !== undefined) this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#context.running.delete(this);
    this.#events.end(error);
  }
}
