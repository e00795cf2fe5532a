import type { Clock } from '@nodeagent/api';
import type { Console } from '../console.js';
import { listenForInterrupts } from '../interrupts.js';
import type { ListModel, ListRow } from '../terminal/list/list-model.js';
import { interactiveConsole } from '../terminal/screen/interactive-console.js';
import { openListSession, type RowCommand } from '../terminal/screen/list-session.js';

export interface WatchOptions {
  console: Console;
  clock: Clock;
  periodMs: number;
  /** The current model. */
  read(): Promise<ListModel>;
  /** Runs the command about a pod. */
  run(command: RowCommand, row: ListRow, console: Console): Promise<number>;
}

/**
 * Shows an interactive list until the user quits, with exit code 0. Resolves to undefined if the console has no keys. Rejects if the model cannot be
 * read.
 */
export async function watchList({ console, clock, periodMs, read, run }: WatchOptions): Promise<number | undefined> {
  const terminal = interactiveConsole(console);
  if (terminal === undefined) return undefined;
  const end = listenForInterrupts(terminal, clock.monotonic);
  // Before the first answer there is nothing to show, and an error is best below the command.
  let model: ListModel;
  try {
    model = await read();
  } catch (error) {
    end.stopListening();
    throw error;
  }
  const session = openListSession({ console: terminal, clock, run, onQuit: () => terminal.interrupt('SIGINT') });
  try {
    for (;;) {
      session.update(model);
      await clock.sleep(periodMs, end.first).catch(() => {});
      if (end.first.aborted) return 0;
      model = await read();
    }
  } finally {
    session.close();
    end.stopListening();
  }
}
