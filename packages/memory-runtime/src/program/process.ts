import type { Clock } from '@nodeagent/api';
import type { ContainerUsage } from '../behaviour.js';
import type { ProgramFiles } from '../files/program-files.js';
import { findCommand } from './built-in-commands.js';
import { createFetch } from './fetch.js';
import type { HttpMessage, HttpReply } from './http.js';
import type { AcceptedConnection } from './network.js';
import { ProcessPorts } from './process-ports.js';
import { ProcessWaits } from './process-waits.js';
import { type ExecHandler, type Program, type ProgramContext, ProgramSignal } from './program.js';
import { ProcessSignals, signalNumber } from './signals.js';

/** What a process is started with. */
export interface ProcessFacts extends Pick<ProgramContext, 'argv' | 'env' | 'cwd' | 'hostname' | 'addresses'> {
  files: ProgramFiles;
  stopSignal: string;
}

/** What a process does to its container, and where its requests go. */
export interface ProcessHost {
  write(stream: 'stdout' | 'stderr', text: string): void;
  exit(code: number): void;
  /** Called when the reported usage changes. */
  onUsage(usage: ContainerUsage): void;
  isPortTaken(port: number): boolean;
  /** Sends a request to the pod's own address, or to the network. */
  fetch(message: HttpMessage): Promise<HttpReply>;
}

/** The result of a command. */
export interface CommandResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** The running program of a container. */
export class ProgramProcess {
  readonly #clock: Clock;
  readonly #facts: ProcessFacts;
  readonly #host: ProcessHost;
  readonly #waits: ProcessWaits;
  readonly #signals: ProcessSignals;
  readonly #ports: ProcessPorts;
  readonly #commands = new Map<string, ExecHandler>();
  #usage: ContainerUsage = {};

  constructor(clock: Clock, facts: ProcessFacts, host: ProcessHost) {
    this.#clock = clock;
    this.#facts = facts;
    this.#host = host;
    this.#waits = new ProcessWaits(clock);
    this.#signals = new ProcessSignals(facts.stopSignal);
    this.#ports = new ProcessPorts({
      waits: this.#waits,
      isTaken: host.isPortTaken,
      onError: (error) => this.#write('stderr', stackOf(error)),
    });
  }

  get usage(): ContainerUsage {
    return this.#usage;
  }

  /** Runs the program, in a later microtask. */
  start(program: Program): void {
    void (async () => {
      try {
        await undefined;
        this.#exit((await program(this.#context())) ?? 0);
      } catch (error) {
        this.#fail(error);
      }
    })();
  }

  deliver(signal: string): void {
    if (!this.#waits.ended) this.#guarded(() => this.#signals.deliver(signal));
  }

  listensOn(port: number): boolean {
    return this.#ports.has(port);
  }

  connect(port: number): AcceptedConnection | undefined {
    return this.#ports.connect(port);
  }

  /** Runs a command of the program or a built-in one; undefined: there is no such command. */
  exec(argv: readonly string[]): Promise<CommandResult> | undefined {
    const handler =
      this.#commands.get(argv[0] ?? '') ?? findCommand(argv, this.#facts.files, this.#waits.sleep, (name) => this.deliver(name));
    return handler && this.#waits.guard(runCommand(handler, argv));
  }

  /** Ends it at once, as SIGKILL does; idempotent. */
  end(): void {
    this.#waits.end();
    this.#ports.end();
  }

  #context(): ProgramContext {
    const { argv, env, cwd, hostname, addresses, files } = this.#facts;
    const waits = this.#waits;
    const fetch = createFetch({ waits, remoteAddress: addresses[0] ?? '127.0.0.1', send: (message) => this.#host.fetch(message) });
    return {
      argv,
      env,
      cwd,
      hostname,
      addresses,
      files,
      fetch,
      signal: this.#signals.signal,
      onSignal: (name, handler) => this.#signals.on(name, handler),
      stdout: (text) => this.#write('stdout', text),
      stderr: (text) => this.#write('stderr', text),
      now: () => this.#clock.now(),
      sleep: waits.sleep,
      setTimeout: (callback, ms) => waits.setTimeout(() => this.#guarded(callback), ms),
      timeout: (ms) => {
        const controller = new AbortController();
        waits.setTimeout(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms);
        return controller.signal;
      },
      listen: (port, handler) => this.#ports.listen(port, handler),
      onExec: (command, handler) => void this.#commands.set(command, handler),
      use: (usage) => {
        if (waits.ended) return;
        this.#usage = { ...usage };
        this.#host.onUsage(this.#usage);
      },
    };
  }

  #guarded(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (error instanceof ProgramSignal) this.#exit(128 + signalNumber(error.signal));
    else {
      this.#write('stderr', `Uncaught ${stackOf(error)}`);
      this.#exit(1);
    }
  }

  #exit(code: number): void {
    if (!this.#waits.ended) this.#host.exit(code & 255);
  }

  #write(stream: 'stdout' | 'stderr', text: string): void {
    if (this.#waits.ended) return;
    for (const line of text.replace(/\n$/, '').split('\n')) this.#host.write(stream, line);
  }
}

async function runCommand(handler: ExecHandler, argv: readonly string[]): Promise<CommandResult> {
  const output = { stdout: '', stderr: '' };
  const writer = (stream: 'stdout' | 'stderr') => (text: string) => {
    output[stream] += text;
  };
  try {
    const code = await handler({ argv, stdout: writer('stdout'), stderr: writer('stderr') });
    return { exitCode: (code ?? 0) & 255, ...output };
  } catch (error) {
    writer('stderr')(`${stackOf(error)}\n`);
    return { exitCode: 1, ...output };
  }
}

/** The stack, with the message that only V8 has in it. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stack = '' } = error;
  return stack.includes(error.message) ? stack : `${error}\n${stack}`;
}
