import type { Clock, Logger } from '@nodeagent/api';
import type { NodeAgent } from '@nodeagent/core/node';
import type { Console } from '../console.js';
import type { RejectedManifest } from '../local-api/rejected-manifests.js';
import type { LogFormat, LogLevel } from '../log.js';
import type { ListRow } from './list/list-model.js';
import type { InteractiveConsole } from './screen/interactive-console.js';
import type { RowCommand } from './screen/list-session.js';

/** The part of an agent that a view reads. */
export type ViewedAgent = Pick<NodeAgent, 'pods' | 'explain' | 'pulls' | 'runtimeErrors' | 'clusterError' | 'on' | 'off'>;

/** The output of a running agent. */
export interface AgentView {
  /** Receives the log lines of the agent's parts. */
  logger: Logger;
  /** Shows an agent, and the manifests that were rejected, until {@link close}; the title names the node and the runtime. */
  follow(agent: ViewedAgent, title: string, rejected?: () => RejectedManifest[]): void;
  /** Writes a line for the user. */
  print(line: string): void;
  /** Writes that the pods are being stopped; removed pods are then shown as stopped. */
  stopping(line: string): void;
  /** Writes that all pods have stopped. */
  stopped(line: string): void;
  /** Leaves the last state on the screen. */
  close(): void;
}

/** A terminal with keys. */
export interface InteractiveTerminal {
  console: InteractiveConsole;
  /** Runs the command about a pod. */
  run(command: RowCommand, row: ListRow, console: Console): Promise<number>;
}

export interface AgentViewOptions {
  /** Live table instead of lines. */
  table: boolean;
  /** Shows the table as an interactive list. Default: the table has no keys. */
  terminal?: InteractiveTerminal | undefined;
  level: LogLevel;
  format: LogFormat;
  console: Pick<Console, 'stdout' | 'env'>;
  /** Default: the system clock. */
  clock?: Clock;
}
