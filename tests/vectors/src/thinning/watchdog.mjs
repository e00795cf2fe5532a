/**
 * A thread beside the mutants: ends the process when a case has used `maxCpuMs` of processor time without an end, for a loop that never
 * lets go of its thread cannot be ended from within. Time on the wall says nothing on a busy machine.
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
