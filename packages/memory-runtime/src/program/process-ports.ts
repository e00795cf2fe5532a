import type { HealthStatus, HttpReply, ListenHandler, ListeningServer } from './http.js';
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
  /** Rejects the requests in flight. */
  readonly #resets = new Set<() => void>();

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
            return httpReply(await handler(serverRequest(message)));
          } catch (error) {
            this.#options.onError(error);
            return { status: 500, headers: {}, body: 'Internal Server Error' };
          }
        }),
    };
  }

  /** Resets all connections. */
  end(): void {
    this.#handlers.clear();
    for (const reset of [...this.#resets]) reset();
  }

  #serve<T extends HttpReply | HealthStatus>(handle: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        this.#resets.delete(reset);
        then();
      };
      const reset = () => settle(() => reject(new NetworkError('ECONNRESET', 'read', '')));
      this.#resets.add(reset);
      this.#options.waits.guard(handle()).then(
        (value) => settle(() => resolve(value)),
        (error) => settle(() => reject(error)),
      );
    });
  }
}
