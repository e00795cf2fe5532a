import { createAbortController } from '@nodeagent/api';
import { ProgramSignal } from './program.js';

const numbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

/** The number of a signal on Linux; that of SIGTERM for names that it does not have. */
export const signalNumber = (name: string): number => numbers[name] ?? (numbers.SIGTERM as number);

/** `SIGHUP` for `HUP`, `1` and `SIGHUP`; undefined for no signal. */
export function signalName(text: string): string | undefined {
  return Object.keys(numbers).find((name) => name === text || name === `SIG${text}` || String(numbers[name]) === text);
}

/** The signals of a process, with the handlers of its program. */
export class ProcessSignals {
  readonly #stopSignal: string;
  readonly #controller = createAbortController();
  readonly #handlers = new Map<string, (() => void)[]>();

  constructor(stopSignal: string) {
    this.#stopSignal = stopSignal;
  }

  /** Aborted by the stop signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  on(name: string, handler: () => void): void {
    this.#handlers.set(name, [...(this.#handlers.get(name) ?? []), handler]);
  }

  deliver(name: string): void {
    for (const handler of this.#handlers.get(name) ?? []) handler();
    if (name === this.#stopSignal && !this.signal.aborted) this.#controller.abort(new ProgramSignal(name));
  }
}
