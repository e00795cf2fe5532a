/** The world outside a command: streams, environment, signals. Tests pass their own. */
export interface Console {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  env: NodeJS.ProcessEnv;
  /** Whether the process may do everything. */
  isRoot: boolean;
  /** Listens for SIGINT and SIGTERM; returns how to stop listening. */
  onSignal(listener: (signal: NodeJS.Signals) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

export const systemConsole: Console = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  isRoot: process.getuid?.() === 0,
  onSignal(listener) {
    const signals = ['SIGINT', 'SIGTERM'] as const;
    for (const signal of signals) process.on(signal, listener);
    return () => {
      for (const signal of signals) process.off(signal, listener);
    };
  },
  exit: (code) => process.exit(code),
};

/** Colours only on a terminal, and only where nobody asked to have none. */
export function wantsColours(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
