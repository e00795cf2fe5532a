/** A thread beside the mutants: exits the process when a case exceeds `maxCpuMs` of processor time, because the thread of an endless loop cannot stop itself. Wall-clock time is unreliable on a busy machine.
 */
import { workerData } from 'node:worker_threads';

const { counter, maxCpuMs, periodMs } = workerData;
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

let seen = -1;
let since = 0;
setInterval(() => {
  const count = Atomics.load(counter, 0);
  if (count !== seen) {
    seen = count;
    since = cpuMs();
  } else if (cpuMs() - since > maxCpuMs) {
    process.kill(process.pid, 'SIGKILL');
  }
}, periodMs);
