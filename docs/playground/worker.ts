import { Driver } from './session/driver.js';
import type { Report, Request } from './session/messages.js';

/** The part of a worker's global scope that this one uses. */
const scope = globalThis as unknown as { postMessage(report: Report): void; onmessage: ((event: { data: Request }) => void) | null };

const turns = new MessageChannel();

/** Resolves after the messages that wait; browsers would delay a timer of 0 ms. */
const nextTurn = () =>
  new Promise<void>((resolve) => {
    turns.port1.onmessage = () => resolve();
    turns.port2.postMessage(undefined);
  });

const driver = new Driver({
  post: (report) => scope.postMessage(report),
  pause: (ms) => (ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : nextTurn()),
  realNow: () => performance.now(),
});
scope.onmessage = ({ data }) => driver.receive(data);
