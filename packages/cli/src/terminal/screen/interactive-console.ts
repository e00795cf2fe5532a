import type { Console, InterruptReason } from '../../console.js';

/** A console whose user can press keys. In raw mode Ctrl-C is one of them, and no signal. */
export interface InteractiveConsole extends Console {
  /** Interrupts the command as a signal would. */
  interrupt(why: InterruptReason): void;
}

/** The console with keys; undefined unless stdin and stdout are a terminal, whose foreground process this is. */
export function interactiveConsole(console: Console): InteractiveConsole | undefined {
  const { stdin, stdout, env, isForeground } = console;
  // A background process that changes the terminal's mode or reads it is stopped by the kernel.
  if (stdout.isTTY !== true || env.TERM === 'dumb' || isForeground?.() === false) return undefined;
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return undefined;
  return withInterrupts(console);
}

/** A console that can be interrupted by the caller too. */
export function withInterrupts(console: Console): InteractiveConsole {
  const listeners = new Set<(why: InterruptReason) => void>();
  return {
    ...console,
    interrupt(why) {
      for (const listener of [...listeners]) listener(why);
    },
    onInterrupt(listener) {
      const stop = console.onInterrupt(listener);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        stop();
      };
    },
  };
}
