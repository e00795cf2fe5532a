import { Driver } from './session/driver.js';
import type { Report, Request } from './session/messages.js';

/** The part of a worker's global scope that this one uses. */
const scope = globalThis as unknown as { postMessage(report: Report): void; onmessage: ((event: { data: Request }) => void) | null };

const driver = new Driver({
  post: (report) => scope.postMessage(report),
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  realNow: () => performance.now(),
});
scope.onmessage = ({ data }) => driver.receive(data);
