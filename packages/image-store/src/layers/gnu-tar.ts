import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { quoteText } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';

/** A running tar(1) that unpacks what is written to it. */
export interface TarProgram {
  /** Writes in batches. Resolves once it can take more. Rejects with why it ended. */
  write(bytes: Buffer): Promise<void>;
  /** Waits until it has ended. Rejects if it could not unpack all. */
  end(): Promise<void>;
  kill(): void;
}

const flags = [
  ...['--extract', '--file=-', '--absolute-names', '--numeric-owner', '--same-owner', '--same-permissions', '--delay-directory-restore'],
  ...['--xattrs', '--xattrs-include=*', '--no-acls', '--no-selinux', '--warning=no-timestamp', '--force-local'],
];
const maxStderrBytes = 4096;
const batchBytes = 64 * 1024;

/** Starts GNU tar in a folder. */
export function startTar(folder: string): TarProgram {
  // With another character set than UTF-8 it would convert the names.
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const child = spawn('tar', flags, { cwd: folder, env, stdio: ['pipe', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < maxStderrBytes) stderr += text;
  });
  const ended = endOf(child, folder, () => stderr.trim());
  ended.catch(() => {});
  // tar ends before its input does once it has failed; its exit code and output are the reason.
  child.stdin.on('error', () => {});
  // Most entries are a few small pieces: one call to the kernel for many of them.
  child.stdin.cork();
  let waiting = 0;
  const flush = async () => {
    waiting = 0;
    child.stdin.uncork();
    child.stdin.cork();
    if (child.stdin.writableNeedDrain) await Promise.race([once(child.stdin, 'drain'), ended]);
    if (child.stdin.destroyed) await ended;
  };
  return {
    async write(bytes) {
      child.stdin.write(bytes);
      waiting += bytes.length;
      if (waiting >= batchBytes) await flush();
    },
    async end() {
      child.stdin.end();
      await ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function endOf(child: ChildProcess, folder: string, stderr: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(tarMissing(errorMessage(error))));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(tarFailed(folder, stderr(), code ?? signal));
    });
  });
}

const tarMissing = (problem: string) =>
  new NodeAgentError(imageStoreErrorCodes.tarUnavailable, `layers cannot be unpacked: ${problem}`, {
    hint: 'Install GNU tar, the package tar of Debian, Alpine and Fedora.',
  });

function tarFailed(folder: string, stderr: string, status: number | string | null): NodeAgentError {
  if (/unrecognized option|invalid option/.test(stderr)) return tarMissing(`tar is not GNU tar: ${quoteText(stderr.split('\n')[0] ?? '')}`);
  // It reports a write that the last bytes of the disk cut short without the reason.
  const isFull = /No space left on device|Wrote only \d+ of \d+ bytes/.test(stderr);
  const code = isFull ? 'ENOSPC' : imageStoreErrorCodes.unpackFailed;
  return new NodeAgentError(code, `tar failed with ${status} in ${folder}: ${stderr.slice(0, 500)}`, { details: { status } });
}
