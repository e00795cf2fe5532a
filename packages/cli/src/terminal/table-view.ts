import type { Clock, Timer } from '@nodeagent/api';
import { wantsColours } from '../console.js';
import { listedPods } from '../local-api/answer-request.js';
import { onPodsChange } from '../local-api/pods-version.js';
import { rejectedRow } from '../local-api/rejected-manifests.js';
import { createLineLogger } from '../log.js';
import { logAgent, logEvent } from './agent-lines.js';
import type { AgentView, AgentViewOptions } from './agent-view.js';
import { createLiveScreen } from './live-screen.js';
import { type PodRow, podRow } from './pod-row.js';
import { podsScreen, screenState } from './pods-screen.js';
import { stoppingRows } from './stopping-rows.js';

/** Changes within this time are drawn together. */
const gatherMs = 50;

/** A table that is redrawn in place after changes, and once a second for the ages; warnings scroll above it. */
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
  let drawTimer: Timer | undefined;
  let isStopping = false;
  let draw = () => {};
  const scheduleDraw = () => {
    drawTimer ??= clock.setTimeout(() => {
      drawTimer = undefined;
      draw();
    }, gatherMs);
  };
  const drawPeriodically = () => {
    draw();
    tick = clock.setTimeout(drawPeriodically, 1_000);
  };

  return {
    logger,
    follow(agent, title, rejected = () => []) {
      let shown: PodRow[] = [];
      draw = () => {
        const now = clock.now();
        const pulls = agent.pulls();
        const stopping = isStopping ? stoppingRows(agent.pods(), shown, now) : undefined;
        const rows = stopping?.rows ?? listedPods(agent).map((view) => podRow(view, now, pulls));
        const manifests = isStopping ? [] : rejected().map(rejectedRow);
        shown = [...rows, ...manifests].sort((a, b) => (a.name < b.name ? -1 : 1));
        const state = stopping?.state ?? screenState(rows, agent.runtimeErrors(), agent.clusterError());
        screen.draw(podsScreen({ title, state, rows: shown, width: stdout.columns || 100, height: stdout.rows || 24, colours }));
      };
      if (level === 'debug') logAgent(agent, logger);
      else agent.on('event', (event) => event.type === 'Warning' && logEvent(logger, event));
      onPodsChange(agent, scheduleDraw);
      stdout.on('resize', scheduleDraw);
      drawPeriodically();
    },
    print: screen.print,
    stopping(line) {
      isStopping = true;
      screen.print(line);
      draw();
    },
    stopped: () => draw(),
    close() {
      tick?.cancel();
      drawTimer?.cancel();
      stdout.off('resize', scheduleDraw);
      draw();
      draw = () => {};
    },
  };
}
