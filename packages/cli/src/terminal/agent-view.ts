import type { Clock, Logger } from '@nodeagent/api';
import type { NodeAgent } from '@nodeagent/core';
import type { Console } from '../console.js';
import type { LogFormat, LogLevel } from '../log.js';

/** What a view needs of an agent. */
export type ViewedAgent = Pick<NodeAgent, 'pods' | 'pulls' | 'runtimeErrors' | 'clusterError' | 'on'>;

/** How a running agent shows itself. */
export interface AgentView {
  /** Where the agent's parts log to. */
  logger: Logger;
  /** Follows an agent until {@link close}; the title names the node and the runtime. */
  follow(agent: ViewedAgent, title: string): void;
  /** A line for the person at the terminal. */
  say(line: string): void;
  /** Says that the pods are being stopped; from now on those that are gone are shown as stopped. */
  stopping(line: string): void;
  /** Says that all pods are stopped. */
  stopped(line: string): void;
  /** Leaves the last state on the screen. */
  close(): void;
}

export interface AgentViewOptions {
  /** A live table instead of lines. */
  table: boolean;
  level: LogLevel;
  format: LogFormat;
  console: Pick<Console, 'stdout' | 'env'>;
  /** Default: real time. */
  clock?: Clock;
}
