import { execFile } from 'node:child_process';
import type { RunSystemd } from './cgroup-files.js';

/** Longer than the timeout of the calls, which report better. */
const timeoutMs = 40_000;
const maxOutputBytes = 64 * 1024;

/** Runs the programs of the machine's systemd, without a shell. */
export const runSystemd: RunSystemd = (program, args) =>
  new Promise((resolve, reject) => {
    const { PATH, DBUS_SYSTEM_BUS_ADDRESS } = process.env;
    const env = { PATH, ...(DBUS_SYSTEM_BUS_ADDRESS && { DBUS_SYSTEM_BUS_ADDRESS }), LC_ALL: 'C' };
    execFile(program, [...args], { env, timeout: timeoutMs, maxBuffer: maxOutputBytes }, (error, _stdout, stderr) => {
      if (error === null) resolve();
      else {
        const text = stderr.trim() || (error.killed ? `${program}: no answer within ${timeoutMs / 1000} s` : error.message);
        reject(Object.assign(new Error(text), { code: error.code }));
      }
    });
  });
