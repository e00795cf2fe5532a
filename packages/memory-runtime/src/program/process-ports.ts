import { abortable } from '@nodeagent/api';
import type { ListenHandler, ListeningServer } from './http.js';
import { httpReply, serverRequest } from './http.js';
import { type AcceptedConnection, NetworkError } from './network.js';
import type { ProcessWaits } from './process-waits.js';

export interface ProcessPortsOptions {
  waits: ProcessWaits;
  /** Whether another container of the pod listens on the port. */
  isTaken(port: number): boolean;
  /** Called with an error of a handler. */
  onError(error: unknown): void;
}

/** The ports that a process listens on. */
export class ProcessPorts {
  readonly #options: ProcessPortsOptions;
  readonly #handlers = new Map<number, ListenHandler | undefined>();

  constructor(options: ProcessPortsOptions) {
    this.#options = options;
  }

  listen(port: number, handler?: ListenHandler): ListeningServer {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new RangeError(`listen: port must be from 1 to 65535, not ${port}`);
    if (this.#handlers.has(port) || this.#options.isTaken(port)) throw new NetworkError('EADDRINUSE', 'listen', `0.0.0.0:${port}`);
    if (!this.#options.waits.ended) this.#handlers.set(port, handler);
    return { port, close: () => void this.#handlers.delete(port) };
  }

  has(port: number): boolean {
    return this.#handlers.has(port);
  }

  /** Undefined: the process does not listen on the port. */
  connect(port: number): AcceptedConnection | undefined {
    if (!this.#handlers.has(port)) return undefined;
    const handler = this.#handlers.get(port);
    if (handler === undefined) return {};
    if (typeof handler !== 'function') return { health: (service) => this.#serve(async () => handler.health(service)) };
    return {
      request: (message) =>
        this.#serve(async () => {
          try {
            const reply = httpReply(await handler(serverRequest(message)));
            return typeof reply.body === 'string' ? reply : { ...reply, body: this.#parts(reply.body) };
          } catch (error) {
            this.#options.onError(error);
            return { status: 500, headers: {}, body: 'Internal Server Error' };
          }
        }),
    };
  }

  /** Refuses new connections; those in use end with the process. */
  end(): void {
    this.#handlers.clear();
  }

  /** Waits for a handler; rejects with `ECONNRESET` if the process ends first. */
  async #serve<T>(handle: () => Promise<T>): Promise<T> {
    const { signal, close } = this.#options.waits.connection();
    try {
      return await abortable(handle(), signal);
    } catch (error) {
      throw signal.aborted ? new NetworkError('ECONNRESET', 'read', '') : error;
    } finally {
      close();
    }
  }

  async *#parts(body: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array, void, undefined> {
    const iterator = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#serve(() => iterator.next());
        if (next.done) return;
        yield next.value;
      }
    } finally {
      void iterator.return?.();
    }
  }
}
