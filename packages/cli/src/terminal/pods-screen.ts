import type { AgentAnswer } from '../local-api/answers.js';
import { fitRows } from './fit-rows.js';
import type { PodRow } from './pod-row.js';
import { printable } from './printable.js';
import { renderTable, shorten } from './table.js';

/** Title, empty line, headings, and the cursor's line. */
const linesAround = 4;

export interface PodsScreen {
  /** Node and runtime. */
  title: string;
  /** Text after the title: the health of the pods, or the error of the runtime or the API server. */
  state: string;
  rows: readonly PodRow[];
  width: number;
  height: number;
  colours: boolean;
}

/** The lines of a full screen of pods. */
export function podsScreen({ title, state, rows, width, height, colours }: PodsScreen): string[] {
  const fitted = fitRows(rows, height - linesAround);
  const rest = fitted.rest === undefined ? [] : [shorten(fitted.rest, width)];
  return [shorten(printable(`${title} · ${state}`), width), '', ...renderTable(fitted.rows, width, colours), ...rest];
}

export const screenTitle = ({ node, runtime, cluster }: Pick<AgentAnswer, 'node' | 'runtime' | 'cluster'>) =>
  ['node', node, '·', runtime, ...(cluster === undefined ? [] : ['·', cluster])].join(' ');

/** A short summary of the pods' health, or the error of the runtime or the API server. */
export function screenState(rows: readonly Pick<PodRow, 'health'>[], runtimeErrors: readonly string[], clusterError?: string): string {
  if (runtimeErrors[0] !== undefined) return runtimeErrors[0];
  const good = rows.filter(({ health }) => health === 'good').length;
  const pods = rows.length === 0 ? 'no pods' : `${count(rows.length, 'pod')}, ${good === rows.length ? 'all' : good} healthy`;
  return clusterError === undefined ? pods : `${pods} · ${clusterError}`;
}

export const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
