import { stat } from 'node:fs/promises';
import type { Clock } from '@nodeagent/api';
import type { HealthCheckResult } from './healthz.js';

const timeoutMs = 3_000;

/**
 * Creates the health check `threadpool`: fails if a cheap file operation does not complete within 3 s. Node has four threads for all files and
 * DNS requests; once mounts that hang hold all of them, the process responds to requests but no longer reads or writes files. Does no I/O until it
 * is called, and has one operation in progress at most.
 */
export function createThreadPoolCheck(clock: Pick<Clock, 'sleep'>): () => Promise<HealthCheckResult> {
  let operation: Promise<unknown> | undefined;
  return async () => {
    operation ??= stat('/').finally(() => {
      operation = undefined;
    });
    const answered = new AbortController();
    const timeout = clock.sleep(timeoutMs, answered.signal).then(
      () => ({ error: `a file operation did not complete within ${timeoutMs / 1000} s: all threads for files are in use` }),
      () => ({}),
    );
    const result = await Promise.race([operation.then(() => ({})), timeout]);
    answered.abort();
    return { name: 'threadpool', ...result };
  };
}
