import type { Report, Request } from '../session/messages.js';

/** How long the worker may be silent, in milliseconds. */
export const maxSilenceMs = 5_000;
const pingMs = 1_000;

export interface WorkerListener {
  onReport(report: Report): void;
  /** The worker was stopped; `program`: the program that ran last, if one did. */
  onSilence(program: string | undefined): void;
}

/** The worker of the page, which starts at once. One that is silent for {@link maxSilenceMs} is stopped; the next request that opens a state starts another. */
export class WorkerClient {
  readonly #create: () => Worker;
  readonly #listener: WorkerListener;
  #worker: Worker | undefined;
  #heardAt = 0;
  #program: string | undefined;

  constructor(create: () => Worker, listener: WorkerListener) {
    this.#create = create;
    this.#listener = listener;
    this.#start();
    setInterval(() => this.#watch(), pingMs);
  }

  send(request: Request): void {
    if (this.#worker === undefined && request.type === 'open') this.#start();
    this.#worker?.postMessage(request);
  }

  #start(): void {
    const worker = this.#create();
    this.#worker = worker;
    this.#program = undefined;
    // Its code may take long to load: the watch begins with its first report.
    this.#heardAt = Number.POSITIVE_INFINITY;
    worker.onmessage = ({ data }: MessageEvent<Report>) => this.#receive(worker, data);
    worker.onerror = ({ message }) => this.#listener.onReport({ type: 'failed', message: message || 'the worker cannot be loaded' });
  }

  #receive(worker: Worker, report: Report): void {
    if (worker !== this.#worker) return;
    this.#heardAt = performance.now();
    if (report.type === 'running') this.#program = report.program;
    else this.#listener.onReport(report);
  }

  #watch(): void {
    // A hidden page is throttled, and with it its timers.
    if (this.#worker === undefined || document.hidden) {
      this.#heardAt = Math.max(this.#heardAt, performance.now());
      return;
    }
    if (performance.now() - this.#heardAt > maxSilenceMs) {
      this.#worker.terminate();
      this.#worker = undefined;
      this.#listener.onSilence(this.#program);
    } else this.#worker.postMessage({ type: 'ping' } satisfies Request);
  }
}
