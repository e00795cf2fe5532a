import { constants } from 'node:os';
import type { Signal } from '@nodeagent/cri-api';

const firstRealTimeSignal = 34;
const lastRealTimeSignal = 64;

/** The number of a CRI signal on Linux; `RUNTIME_DEFAULT` and absence mean SIGTERM. */
export function signalNumber(signal: Signal | undefined): number {
  if (signal === undefined || signal === 'RUNTIME_DEFAULT') return constants.signals.SIGTERM;
  if (signal === 'SIGCLD') return constants.signals.SIGCHLD;
  const realTime = /^SIGRT(MIN|MAX)(?:(PLUS|MINUS)(\d+))?$/.exec(signal);
  if (realTime)
    return realTime[1] === 'MIN' ? firstRealTimeSignal + Number(realTime[3] ?? 0) : lastRealTimeSignal - Number(realTime[3] ?? 0);
  const numbers: Record<string, number | undefined> = constants.signals;
  return numbers[signal] ?? constants.signals.SIGTERM;
}

/** The exit code as in shells and container runtimes: 128 + n for a process killed by signal n. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? constants.signals.SIGKILL : constants.signals[signal]);
}
