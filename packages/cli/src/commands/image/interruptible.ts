import { systemClock } from '@nodeagent/api';
import type { Console } from '../../console.js';
import { listenForInterrupts } from '../../interrupts.js';

/** The exit code of work that an interrupt aborts: 0, or 130 with the note on stderr. */
export async function interruptible(console: Console, note: string, work: (signal: AbortSignal) => Promise<void>): Promise<number> {
  const { first, why, stopListening } = listenForInterrupts(console, systemClock.monotonic);
  try {
    await work(first);
    return 0;
  } catch (error) {
    if (!first.aborted) throw error;
    if (why() !== 'output closed') console.stderr.write(`${note}\n`);
    return 130;
  } finally {
    stopListening();
  }
}
