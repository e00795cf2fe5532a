import type { ContainerConfig, Signal } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import type { ImageProcess } from './image-process.js';

/** The signals of Linux by number, from 1: signal(7), the numbers of x86 and ARM. */
const signals = `
  HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO
  PWR SYS`
  .trim()
  .split(/\s+/);

const aliases: Readonly<Record<string, string>> = { IOT: 'ABRT', POLL: 'IO', CLD: 'CHLD' };
const [minRealtime, maxRealtime] = [34, 64];

/**
 * The number of a stop signal: `SIGQUIT`, `quit`, `3`, `SIGRTMIN+3`, also with the CRI's spelling `SIGRTMINPLUS3`. 15 (SIGTERM) for an empty
 * text.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a signal that Linux does not have
 */
export function parseStopSignal(text: string): number {
  if (text === '') return 15;
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= maxRealtime) return Number(text);
  const name = text.toUpperCase().replace(/^SIG/, '');
  const number = signals.indexOf(aliases[name] ?? name) + 1 || realtime(name);
  if (number !== undefined) return number;
  throw invalidArgument('stop_signal', `unknown signal "${text}"`);
}

/** The number of the signal that stops a container: its own, else that of the image, else SIGTERM. Throws as {@link parseStopSignal}. */
export function containerStopSignal(
  { stopSignal = 'RUNTIME_DEFAULT' }: Pick<ContainerConfig, 'stopSignal'>,
  image: Pick<ImageProcess, 'stopSignal'>,
): number {
  return parseStopSignal(stopSignal === 'RUNTIME_DEFAULT' ? image.stopSignal : stopSignal);
}

/** The CRI's name of a signal by its number. */
export function stopSignalName(number: number): Signal {
  const name = signals[number - 1];
  if (name !== undefined) return `SIG${name}` as Signal;
  const [above, below] = [number - minRealtime, maxRealtime - number];
  if (above === 0) return 'SIGRTMIN';
  if (below === 0) return 'SIGRTMAX';
  return (above < 16 ? `SIGRTMINPLUS${above}` : `SIGRTMAXMINUS${below}`) as Signal;
}

function realtime(name: string): number | undefined {
  const [, base, sign, distance = '0'] = /^RT(MIN|MAX)(?:(\+|-|PLUS|MINUS)(\d{1,2}))?$/.exec(name) ?? [];
  if (base === undefined) return undefined;
  const offset = sign === '-' || sign === 'MINUS' ? -Number(distance) : Number(distance);
  const number = (base === 'MIN' ? minRealtime : maxRealtime) + offset;
  return number >= minRealtime && number <= maxRealtime ? number : undefined;
}
