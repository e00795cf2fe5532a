import { fork } from 'node:child_process';
import type { JobLimits, JobOutcome } from './job.js';
import type { RunElsewhere } from './jobs.js';

/** The variable by which a process knows that it runs a job, with the limits of the job. */
export const jobVariable = 'NODEAGENT_EXPLORE_JOB';

/** What a job reports to the process that started it. */
export type JobMessage = { schedules: number } | { outcome: JobOutcome } | { error: string };

/** Runs jobs by this program with the same arguments. */
export const runElsewhereWith =
  (program: string, args: readonly string[]): RunElsewhere =>
  (limits: JobLimits, onProgress, signal) =>
    new Promise((resolve, reject) => {
      const child = fork(program, args, { env: { ...process.env, [jobVariable]: JSON.stringify(limits) } });
      const end = () => child.kill('SIGKILL');
      signal.addEventListener('abort', end);
      child.on('message', (message) => {
        const report = message as JobMessage;
        if ('outcome' in report) resolve(report.outcome);
        else if ('error' in report) reject(new Error(report.error));
        else onProgress(report.schedules);
      });
      child.once('error', reject);
      child.once('close', (code, killedBy) => {
        signal.removeEventListener('abort', end);
        reject(new Error(`a process of the search ended early: ${killedBy ?? `exit code ${code}`}`));
      });
    });
