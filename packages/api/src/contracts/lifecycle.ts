/** A subsystem that is started and stopped, because it owns a loop, a watch or a socket. */
export interface Startable {
  /** Starts the subsystem. Idempotent. It also stops when `signal` aborts. */
  start(signal?: AbortSignal): Promise<void>;
  /** Stops the subsystem and waits for the work in flight. Idempotent. */
  stop(): Promise<void>;
}
