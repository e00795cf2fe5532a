import { type Clock, errorHint, errorMessage, type Timer } from '@nodeagent/api';
import { type Console, wantsColours } from '../../console.js';
import type { Key } from '../list/key.js';
import type { ListModel, ListRow } from '../list/list-model.js';
import { listScreen, pageOf, type ScreenStyle } from '../list/list-screen.js';
import { initialListState } from '../list/list-state.js';
import { pressListKey } from '../list/press-list-key.js';
import { appendLines, paneScreen, pressPaneKey, type TextPane } from '../list/text-pane.js';
import { withInterrupts } from './interactive-console.js';
import { createKeyReader } from './key-reader.js';
import { createLineOutput } from './line-output.js';
import { createPainter } from './painter.js';

/** A command about the selected row. */
export type RowCommand = 'describe' | 'logs' | 'exec';

/** An interactive list on the whole terminal. */
export interface ListSession {
  update(model: ListModel): void;
  /** Restores the terminal. Idempotent. */
  close(): void;
}

export interface ListSessionOptions {
  /** A terminal: {@link interactiveConsole}. */
  console: Console;
  clock: Clock;
  /** Runs the command about a pod on a console, whose interrupt ends it. */
  run(command: RowCommand, row: ListRow, console: Console): Promise<number>;
  /** The user ends the command, by `q` or by Ctrl-C. */
  onQuit(by: 'q' | 'interrupt'): void;
}

/** Lines of a log within this time are drawn together. */
const gatherMs = 50;

/** Opens the list; it is empty until the first {@link ListSession.update}. */
export function openListSession(options: ListSessionOptions): ListSession {
  return new Session(options);
}

class Session implements ListSession {
  readonly #options: ListSessionOptions;
  readonly #painter;
  readonly #keys;
  readonly #stopExitListener: (() => void) | undefined;
  #model: ListModel | undefined;
  #state = initialListState;
  #pane: TextPane | undefined;
  /** Ends the command that fills the pane. */
  #endPane = () => {};
  #notice: string | undefined;
  #isLent = false;
  #isClosed = false;
  #drawTimer: Timer | undefined;

  constructor(options: ListSessionOptions) {
    const { console, clock } = options;
    this.#options = options;
    this.#painter = createPainter(console.stdout);
    this.#keys = createKeyReader(console.stdin, clock);
    this.#stopExitListener = console.onExit?.(() => this.close());
    this.#painter.enter();
    this.#keys.start((key) => this.#press(key));
    console.stdout.on('resize', this.#resized);
  }

  update(model: ListModel): void {
    this.#model = model;
    this.#draw();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endPane();
    this.#drawTimer?.cancel();
    this.#options.console.stdout.off('resize', this.#resized);
    this.#stopExitListener?.();
    this.#keys.stop();
    this.#painter.leave();
  }

  readonly #resized = () => {
    this.#painter.forget();
    this.#draw();
  };

  #style(): ScreenStyle {
    const { stdout, env } = this.#options.console;
    return { width: stdout.columns || 100, height: stdout.rows || 24, colours: wantsColours(stdout, env) };
  }

  #draw(): void {
    if (this.#isClosed || this.#isLent || this.#model === undefined) return;
    const { notes } = this.#model;
    const model = this.#notice === undefined ? this.#model : { ...this.#model, notes: [...notes, this.#notice] };
    this.#painter.paint(this.#pane ? paneScreen(this.#pane, this.#style()) : listScreen(model, this.#state, this.#style()));
  }

  #scheduleDraw(): void {
    this.#drawTimer ??= this.#options.clock.setTimeout(() => {
      this.#drawTimer = undefined;
      this.#draw();
    }, gatherMs);
  }

  #press(key: Key): void {
    this.#notice = undefined;
    if (key === 'redraw') this.#painter.forget();
    else if (this.#pane !== undefined) this.#pressInPane(this.#pane, key);
    else this.#pressInList(key);
    this.#draw();
  }

  #pressInPane(pane: TextPane, key: Key): void {
    const next = pressPaneKey(pane, key, this.#style());
    if (next === 'quit') this.#options.onQuit('interrupt');
    if (typeof next !== 'string') this.#pane = next;
    else this.#endPane();
  }

  #pressInList(key: Key): void {
    if (this.#model === undefined) {
      if (key === 'interrupt' || key === 'q') this.#options.onQuit(key);
      return;
    }
    const { state, action } = pressListKey(this.#state, key, this.#model, pageOf(this.#model, this.#style()));
    this.#state = state;
    if (action === undefined) return;
    if (action.type === 'quit') this.#options.onQuit(key === 'q' ? 'q' : 'interrupt');
    else if (action.type === 'exec') void this.#exec(action.row);
    else void this.#fillPane(action.type, action.row);
  }

  /** Shows the output of a command in a pane, until the user closes it. */
  async #fillPane(command: 'describe' | 'logs', row: ListRow): Promise<void> {
    const { console } = this.#options;
    const own = withInterrupts({ ...console, onInterrupt: () => () => {} });
    let isOpen = true;
    this.#pane = { title: `${command} ${row.key}`, lines: [], top: command === 'logs' ? 'end' : 0 };
    this.#endPane = () => {
      isOpen = false;
      this.#pane = undefined;
      this.#endPane = () => {};
      own.interrupt('SIGINT');
    };
    const add = (lines: string[]) => {
      if (!isOpen || this.#pane === undefined) return;
      this.#pane = appendLines(this.#pane, lines);
      this.#scheduleDraw();
    };
    if (row.pod === undefined) return add([row.explain()]);
    const [stdout, stderr] = [createLineOutput(add), createLineOutput(add)];
    try {
      await this.#options.run(command, row, { ...own, stdout, stderr });
    } catch (error) {
      add(errorLines(error));
    }
    for (const output of [stdout, stderr]) output.flush();
  }

  /** Gives the terminal to a command in the pod, and takes it back afterwards. */
  async #exec(row: ListRow): Promise<void> {
    const { console, run } = this.#options;
    this.#isLent = true;
    this.#painter.leave();
    try {
      const code = await run('exec', row, { ...console, stdin: this.#keys.lend() });
      if (code !== 0) this.#notice = `exit code ${code} of the shell in ${row.key}`;
    } catch (error) {
      this.#notice = errorLines(error).join(' ');
    }
    this.#isLent = false;
    if (this.#isClosed) return;
    this.#keys.resume();
    this.#painter.enter();
    this.#draw();
  }
}

function errorLines(error: unknown): string[] {
  const hint = errorHint(error);
  return [`error: ${errorMessage(error)}`, ...(hint === undefined ? [] : [`  ${hint}`])];
}
