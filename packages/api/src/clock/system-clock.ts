import type { Clock, Timer } from '../contracts/clock.js';
import { sleepWith } from './sleep.js';

/** The longest delay that a native timer supports; with a longer one it fires at once. */
const longestDelay = 2 ** 31 - 1;

function setTimer(callback: () => void, ms: number): Timer {
  let handle: NodeJS.Timeout;
  const wait = (left: number) => {
    handle = setTimeout(() => (left > longestDelay ? wait(left - longestDelay) : callback()), Math.min(left, longestDelay));
  };
  // Node drops fractions, and a timer that fires early is set again. It warns of a negative delay since version 21.
  wait(Math.max(0, Math.ceil(ms)));
  return { cancel: () => clearTimeout(handle) };
}

/** Real time. Timers keep the process alive as long as they are pending. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout: setTimer,
  sleep: sleepWith(setTimer),
};

/** The process's own randomness. */
export const systemRandom = (): number => Math.random();
