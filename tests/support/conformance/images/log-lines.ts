import type { Program } from '@nodeagent/memory-runtime';
import { flag } from './flags.js';

const methods = ['GET', 'POST', 'PUT'];
const namespaces = ['kube-system', 'default', 'ns'];

/** `logs-generator`: a number of lines, at equal distances of time. */
export const generateLogs: Program = async ({ argv, stderr, sleep }) => {
  const total = Number(flag(argv, 'log-lines-total', '0'));
  const durationMs = Number.parseFloat(flag(argv, 'run-duration', '0s')) * 1_000;
  for (let line = 0; line < total; line++) {
    stderr(`${line} ${methods[line % 3]} /api/v1/namespaces/${namespaces[line % 3]}/pods/pod-${line} ${200 + line}`);
    await sleep(durationMs / total);
  }
};
