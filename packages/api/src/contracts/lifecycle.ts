/** What has a life: subsystems that own a loop, a watch or a socket. */
export interface Startable {
  /** Starts work; idempotent. Work also ends when `signal` aborts. */
  start(signal?: AbortSignal): Promise<void>;
  /** Ends work and waits for what is in flight; idempotent. */
  stop(): Promise<void>;
}
