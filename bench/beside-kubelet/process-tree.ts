import { readdirSync, readFileSync } from 'node:fs';

/** User and system time of a process and its children so far, from clock ticks of 10 ms. */
export function cpuSeconds(pid: number): number {
  return sum(pid, (each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // Those of the process, and of its children that have ended.
    return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / 100;
  });
}

/** Resident memory of a process and its children, in MiB. */
export function residentMib(pid: number): number {
  return sum(pid, (each) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${each}/status`, 'utf8'))?.[1]) / 1024);
}

function sum(pid: number, of: (pid: number) => number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean));
  return of(pid) + children.reduce((total, child) => total + sum(Number(child), of), 0);
}
