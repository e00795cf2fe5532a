import { expect, it } from 'vitest';
import { membersOf, type ProcessInfo, parseStat, readProcess, shared, stillRunning } from './processes.js';
import type { ContainerRecord } from './records.js';
import { findLeftovers } from './recovery.js';

const process_ = (pid: number, parent: number, session: number, startTime = pid): ProcessInfo => ({
  pid,
  parent,
  session,
  startTime,
  zombie: false,
  cpuTicks: 0,
});
const pids = (processes: ProcessInfo[]) => processes.map(({ pid }) => pid);

it('parses /proc/<pid>/stat with any name of the command', () => {
  const stat = '42 (a) b (c) R 7 42 41 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 12345 1000 5 18446744073709551615';
  expect(parseStat(stat)).toEqual({ pid: 42, parent: 7, session: 41, startTime: 12345, zombie: false, cpuTicks: 100 });
  expect(parseStat(stat.replace(' R ', ' Z '))?.zombie).toBe(true);
  expect(parseStat('')).toBeUndefined();
  expect(parseStat('42 (a) R')).toBeUndefined();
});

it('reads this process, and returns undefined for a missing one', async () => {
  expect(await readProcess(process.pid)).toMatchObject({ pid: process.pid, parent: process.ppid });
  expect(await readProcess(2 ** 22 + 1)).toBeUndefined();
});

it('includes sessions and all descendants in the members', () => {
  const all = [
    process_(1, 0, 1),
    process_(10, 1, 10),
    process_(11, 10, 10),
    process_(12, 11, 12),
    process_(13, 12, 13),
    process_(14, 1, 10),
    process_(20, 1, 20),
  ];
  expect(pids(membersOf(new Set([10]), all))).toEqual([10, 11, 12, 13, 14]);
  expect(pids(membersOf(new Set(), all))).toEqual([]);
});

it('distinguishes a process from one that reuses its pid', () => {
  const all = [process_(10, 1, 10, 5), process_(11, 1, 11, 6)];
  expect(
    pids(
      stillRunning(
        [
          { pid: 10, startTime: 5 },
          { pid: 11, startTime: 5 },
          { pid: 12, startTime: 6 },
        ],
        all,
      ),
    ),
  ).toEqual([10]);
});

it('finds leftovers by process, parent, pipe and session of a pipe holder, but not by the session of an exited process', () => {
  const all = [process_(10, 1, 10, 5), process_(11, 10, 11), process_(20, 1, 10), process_(30, 1, 31), process_(40, 1, 40)];
  const record = (id: string, pid?: number, startTime = 5, bootId = 'b') =>
    ({ id, bootId, ...(pid !== undefined && { process: { pid, startTime } }) }) as ContainerRecord;
  const find = (records: ContainerRecord[], holders: [string, number[]][] = [], ofThisRoot: string[] = []) =>
    [...findLeftovers(records, 'b', all, { pids: new Map(holders), ofThisRoot: new Set(ofThisRoot) })].map(([id, found]) => [
      id,
      ...pids(found),
    ]);
  expect(find([record('a', 10)])).toEqual([['a', 10, 11, 20]]);
  expect(find([record('a', 10, 4), record('b', 10, 5, 'other boot'), record('c', 31), record('d')])).toEqual([]);
  expect(
    find(
      [record('a', 31), record('d')],
      [
        ['d', [40]],
        ['a', [30, 99]],
        ['x', [10]],
      ],
    ),
  ).toEqual([
    ['a', 30],
    ['d', 40],
  ]);
  // Without a record: the main process, its descendants, and the processes of its session.
  expect(find([], [['x', [10]]], ['x'])).toEqual([['x', 10, 11, 20]]);
});

it('shares one later run among all calls during a run', async () => {
  const runs: (() => void)[] = [];
  const ask = shared(() => new Promise<number>((resolve) => runs.push(() => resolve(runs.length))));
  const first = ask();
  const [second, third] = [ask(), ask()];
  expect(runs).toHaveLength(1);
  runs[0]?.();
  await first;
  await Promise.resolve();
  expect(runs).toHaveLength(2);
  runs[1]?.();
  expect(await Promise.all([second, third])).toEqual([2, 2]);
});
