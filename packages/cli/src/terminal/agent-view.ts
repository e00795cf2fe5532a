import { type Clock, type Logger, systemClock, type Timer } from '@nodeagent/api';
import type { NodeAgent } from '@nodeagent/core';
import { type Console, wantsColours } from '../console.js';
import { createLineLogger, type LogFormat, type LogLevel } from '../log.js';
import { createLiveScreen } from './live-screen.js';
import { podRow } from './pod-row.js';
import { renderTable } from './table.js';

/** How a running agent shows itself. */
export interface AgentView {
  logger: Logger;
  /** Follows an agent until {@link close}. */
  follow(agent: NodeAgent, title: string): void;
  /** A line for the person at the terminal. */
  say(line: string): void;
  close(): void;
}

export interface AgentViewOptions {
  table: boolean;
  level: LogLevel;
  format: LogFormat;
  console: Console;
  clock?: Clock;
}

export function createAgentView(options: AgentViewOptions): AgentView {
  return options.table ? createTableView(options) : createLogView(options);
}

/** Plain lines: every event of a pod and every change of its phase. */
function createLogView({ level, format, console, clock = systemClock }: AgentViewOptions): AgentView {
  const logger = createLineLogger({
    level,
    format,
    colours: wantsColours(console.stdout, console.env),
    clock,
    write: (line) => console.stdout.write(`${line}\n`),
  });
  return {
    logger,
    follow(agent, title) {
      logger.info(title);
      const phases = new Map<string, string>();
      agent.on('event', ({ object, type, reason, message }) => {
        const fields = {
          object: `${object.kind?.toLowerCase()} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`,
          part: object.fieldPath,
        };
        logger[type === 'Warning' ? 'warn' : 'info'](fields, `${reason}: ${message}`);
      });
      agent.on('status', (pod, { phase = 'Pending' }) => {
        const uid = pod.metadata?.uid ?? '';
        if (phases.get(uid) === phase) return;
        phases.set(uid, phase);
        logger.info({ object: `pod ${pod.metadata?.namespace}/${pod.metadata?.name}` }, `phase ${phase}`);
      });
      agent.on('removed', (pod) => {
        phases.delete(pod.metadata?.uid ?? '');
        logger.info({ object: `pod ${pod.metadata?.namespace}/${pod.metadata?.name}` }, 'removed');
      });
      agent.on('runtime', (errors) => {
        if (errors.length > 0) logger.warn(`container runtime not ready: ${errors.join('; ')}`);
        else logger.info('container runtime ready');
      });
    },
    say: (line) => logger.info(line),
    close() {},
  };
}

/** A table that is redrawn in place when something changed, and once a second while ages run. */
function createTableView({ level, console, clock = systemClock }: AgentViewOptions): AgentView {
  const screen = createLiveScreen(console.stdout);
  const colours = wantsColours(console.stdout, console.env);
  let timer: Timer | undefined;
  let draw = () => {};
  const logger = createLineLogger({
    level: level === 'info' ? 'warn' : level,
    format: 'text',
    colours,
    clock,
    write: (line) => screen.print(line),
  });
  return {
    logger,
    follow(agent, title) {
      let pendingDraw: Timer | undefined;
      draw = () => {
        pendingDraw?.cancel();
        pendingDraw = undefined;
        const rows = agent.pods().map((view) => podRow(view, clock.now()));
        const errors = agent.runtimeErrors();
        const state = errors.length > 0 ? `runtime not ready: ${errors[0]}` : 'runtime ready';
        const width = console.stdout.columns ?? 100;
        screen.draw([`${title} · ${state}`.slice(0, width), '', ...renderTable(rows, width, colours)]);
      };
      const soon = () => {
        pendingDraw ??= clock.setTimeout(draw, 50);
      };
      for (const event of ['event', 'status', 'removed', 'runtime'] as const) agent.on(event, soon);
      const tick = () => {
        draw();
        timer = clock.setTimeout(tick, 1_000);
      };
      tick();
    },
    say: (line) => screen.print(line),
    close() {
      timer?.cancel();
      draw();
      screen.end();
    },
  };
}
