import type { Clock, Logger, Timer } from '@nodeagent/api';
import { wantsColours } from '../console.js';
import { listedPods } from '../local-api/answer-request.js';
import { onPodsChange } from '../local-api/pods-version.js';
import type { RejectedManifest } from '../local-api/rejected-manifests.js';
import { createLineLogger } from '../log.js';
import { logAgent, logEvent } from './agent-lines.js';
import type { AgentView, AgentViewOptions, InteractiveTerminal, ViewedAgent } from './agent-view.js';
import type { ListRow } from './list/list-model.js';
import { listRow, podListRow, podsKind, rejectedListRow } from './list/pods-list.js';
import { type PodRow, podRow } from './pod-row.js';
import { screenState } from './pods-screen.js';
import { printable } from './printable.js';
import { type ListSession, openListSession } from './screen/list-session.js';
import { stoppingRows } from './stopping-rows.js';
import { shorten, tableLines } from './table.js';

/** Changes within this time are drawn together. */
const gatherMs = 50;
/** Messages that are kept for {@link AgentView.close}. */
const maxMessages = 200;
/** How often the list is drawn without a change, while no text of it counts seconds. */
const restMs = 10_000;

export interface ListViewOptions extends Pick<AgentViewOptions, 'level'> {
  clock: Clock;
}

/**
 * An interactive list of the pods, with the last messages below it, on the alternate screen of the terminal. Closing it leaves the messages and the
 * last state of the pods on the terminal.
 */
export function createListView(options: ListViewOptions, terminal: InteractiveTerminal): AgentView {
  return new ListView(options, terminal);
}

/** What the view follows. */
interface Subject {
  agent: ViewedAgent;
  title: string;
  rejected: () => RejectedManifest[];
}

class ListView implements AgentView {
  readonly logger: Logger;
  readonly #options: ListViewOptions;
  readonly #terminal: InteractiveTerminal;
  readonly #session: ListSession;
  readonly #messages: string[] = [];
  #subject: Subject | undefined;
  /** The rows of the pods since they are being stopped. */
  #stopping: PodRow[] | undefined;
  #title = '';
  #drawnAt = 0;
  #rejectedCount = 0;
  #rows: readonly ListRow[] = [];
  #tick: Timer | undefined;
  #drawTimer: Timer | undefined;

  constructor(options: ListViewOptions, terminal: InteractiveTerminal) {
    const { level, clock } = options;
    this.#options = options;
    this.#terminal = terminal;
    const write = (line: string) => this.print(line);
    const shownLevel = level === 'info' ? 'warn' : level;
    this.logger = createLineLogger({ level: shownLevel, format: 'text', time: 'clock', colours: false, clock, write });
    const { console, run } = terminal;
    // Once the pods are being stopped, only Ctrl-C demands to kill them.
    const onQuit = (by: 'q' | 'interrupt') => {
      if (by === 'interrupt' || this.#stopping === undefined) console.interrupt('SIGINT');
    };
    this.#session = openListSession({ console, clock, run, onQuit });
    this.#draw();
  }

  follow(agent: ViewedAgent, title: string, rejected: () => RejectedManifest[] = () => []): void {
    this.#subject = { agent, title, rejected };
    if (this.#options.level === 'debug') logAgent(agent, this.logger);
    else agent.on('event', (event) => event.type === 'Warning' && logEvent(this.logger, event));
    onPodsChange(agent, () => this.#scheduleDraw());
    this.#drawPeriodically();
  }

  print(line: string): void {
    this.#messages.push(line);
    this.#messages.splice(0, this.#messages.length - maxMessages);
    this.#scheduleDraw();
  }

  stopping(line: string): void {
    const now = this.#options.clock.now();
    this.#stopping = this.#subject?.agent.pods().map((view) => podRow(view, now)) ?? [];
    this.print(line);
    this.#draw();
  }

  stopped(): void {
    this.#draw();
  }

  close(): void {
    this.#tick?.cancel();
    this.#drawTimer?.cancel();
    this.#draw();
    this.#subject = undefined;
    this.#session.close();
    const { stdout, env } = this.#terminal.console;
    const width = stdout.columns || 100;
    const rows = this.#rows.map(({ cells, health }) => ({ ...cells, health }));
    const table = tableLines(podsKind.layout, rows, { width, colours: wantsColours(stdout, env) });
    const lines = [...this.#messages.map(printable), shorten(printable(this.#title), width), '', ...table];
    stdout.write(lines.map((line) => `${line}\n`).join(''));
  }

  #scheduleDraw(): void {
    this.#drawTimer ??= this.#options.clock.setTimeout(() => {
      this.#drawTimer = undefined;
      this.#draw();
    }, gatherMs);
  }

  #drawPeriodically(): void {
    if (this.#isDue()) this.#draw();
    this.#tick = this.#options.clock.setTimeout(() => this.#drawPeriodically(), 1_000);
  }

  /** Whether a second changes what is shown. Changes of pods are events; those of pulls and of rejected manifests are not. */
  #isDue(): boolean {
    if (this.#subject === undefined || this.#options.clock.now() - this.#drawnAt >= restMs) return true;
    const { agent, rejected } = this.#subject;
    return this.#rows.some(countsSeconds) || agent.pulls().length > 0 || rejected().length !== this.#rejectedCount;
  }

  #draw(): void {
    this.#drawnAt = this.#options.clock.now();
    this.#rejectedCount = this.#subject?.rejected().length ?? 0;
    const { rows, title } = this.#subject ? this.#list(this.#subject) : { rows: this.#rows, title: 'starting' };
    this.#rows = rows;
    this.#title = title;
    this.#session.update({ kind: podsKind, title, header: [], rows, notes: this.#messages });
  }

  #list({ agent, title, rejected }: Subject): { rows: ListRow[]; title: string } {
    const now = this.#options.clock.now();
    if (this.#stopping !== undefined) {
      const { rows, state } = stoppingRows(agent.pods(), this.#stopping, now);
      this.#stopping = rows;
      return { rows: rows.map(listRow), title: `${title} · ${state}` };
    }
    const pulls = agent.pulls();
    const pods = listedPods(agent).map((view) => podListRow(view, now, pulls));
    const state = screenState(pods, agent.runtimeErrors(), agent.clusterError());
    return { rows: [...pods, ...rejected().map(rejectedListRow)], title: `${title} · ${state}` };
  }
}

/** `45s`, `9m5s`: ages and countdowns below ten minutes. */
const countsSeconds = ({ cells }: ListRow) => Object.values(cells).some((text) => /\ds\b/.test(text));
