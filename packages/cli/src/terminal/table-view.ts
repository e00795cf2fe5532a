import type { Clock, Timer } from '@nodeagent/api';
import { wantsColours } from '../console.js';
import { createLineLogger } from '../log.js';
import { logAgent, logEvent } from './agent-lines.js';
import type { AgentView, AgentViewOptions } from './agent-view.js';
import { fitRows } from './fit-rows.js';
import { createLiveScreen } from './live-screen.js';
import { type PodRow, podRow, stoppedRow, stoppingRow } from './pod-row.js';
import { renderTable, shorten } from './table.js';

/** Changes within this time are drawn together. */
const gatherMs = 50;
/** Title, empty line, headings, and the line of the cursor. */
const linesAround = 4;

/** A table that is redrawn in place when something changed, and once a second while ages run; warnings scroll by above it. */
export function createTableView({ level, console, clock }: Omit<AgentViewOptions, 'table'> & { clock: Clock }): AgentView {
  const { stdout, env } = console;
  const screen = createLiveScreen(stdout);
  const colours = wantsColours(stdout, env);
  const logger = createLineLogger({
    level: level === 'info' ? 'warn' : level,
    format: 'text',
    time: 'clock',
    colours,
    clock,
    write: screen.print,
  });
  let tick: Timer | undefined;
  let soon: Timer | undefined;
  let isStopping = false;
  let draw = () => {};
  const drawSoon = () => {
    soon ??= clock.setTimeout(() => {
      soon = undefined;
      draw();
    }, gatherMs);
  };
  const drawAndGoOn = () => {
    draw();
    tick = clock.setTimeout(drawAndGoOn, 1_000);
  };

  return {
    logger,
    follow(agent, title) {
      let shown: PodRow[] = [];
      draw = () => {
        const rows = agent.pods().map((view) => (isStopping ? stoppingRow : podRow)(view, clock.now()));
        const gone = isStopping ? shown.filter(({ name }) => !rows.some((row) => row.name === name)).map(stoppedRow) : [];
        const left = rows.filter(({ status }) => status !== 'Stopped').length;
        shown = [...rows, ...gone].sort((a, b) => (a.name < b.name ? -1 : 1));
        const stopping = left === 0 ? 'all pods are stopped' : `stopping: ${count(left, 'pod')} left`;
        const state = isStopping ? stopping : (agent.runtimeErrors()[0] ?? summary(rows));
        const width = stdout.columns || 100;
        const fitted = fitRows(shown, (stdout.rows || 24) - linesAround);
        const table = renderTable(fitted.rows, width, colours);
        const rest = fitted.rest === undefined ? [] : [shorten(fitted.rest, width)];
        screen.draw([shorten(`${title} · ${state}`, width), '', ...table, ...rest]);
      };
      if (level === 'debug') logAgent(agent, logger);
      else agent.on('event', (event) => event.type === 'Warning' && logEvent(logger, event));
      for (const event of ['event', 'status', 'removed', 'runtime'] as const) agent.on(event, drawSoon);
      stdout.on('resize', drawSoon);
      drawAndGoOn();
    },
    say: screen.print,
    stopping(line) {
      isStopping = true;
      screen.print(line);
      draw();
    },
    stopped: () => draw(),
    close() {
      tick?.cancel();
      soon?.cancel();
      stdout.off('resize', drawSoon);
      draw();
      draw = () => {};
    },
  };
}

function summary(rows: readonly PodRow[]): string {
  const good = rows.filter(({ mood }) => mood === 'good').length;
  return rows.length === 0 ? 'no pods' : `${count(rows.length, 'pod')}, ${good === rows.length ? 'all' : good} in order`;
}

const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
