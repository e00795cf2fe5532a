import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/**
 * A FUSE server as hostile as a lost NFS server: it mounts each folder of its arguments, answers the kernel's first message, and nothing after that.
 * A call to such a mount hangs until the server ends.
 */
const script = `
const fs = require('node:fs');
const { spawnSync } = require('node:child_process');
const initialize = 26;
const header = 16;
const answerBytes = header + 64;
function mount(folder) {
  const fd = fs.openSync('/dev/fuse', 'r+');
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
  const { status, stderr } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'hung', folder], { stdio: ['ignore', 'inherit', 'pipe', fd] });
  if (status !== 0) throw new Error(String(stderr));
  const message = Buffer.alloc(1 << 17);
  fs.readSync(fd, message);
  if (message.readUInt32LE(4) !== initialize) throw new Error('unexpected message');
  const answer = Buffer.alloc(answerBytes);
  answer.writeUInt32LE(answerBytes, 0);
  message.copy(answer, 8, 8, 16);
  answer.writeUInt32LE(7, header);
  answer.writeUInt32LE(31, header + 4);
  answer.writeUInt32LE(1 << 16, header + 20);
  fs.writeSync(fd, answer);
}
process.argv.slice(1).forEach(mount);
console.log('ready');
process.stdin.resume();
`;

/** Mounts the folders so that every call to them hangs. Ends all calls when the test has finished, or at the returned function's call. */
export async function mountHung(folders: readonly string[]): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['-e', script, ...folders], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const end = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(async () => {
    await end();
    for (const folder of folders) await once(spawn('umount', ['-l', folder], { stdio: 'ignore' }), 'exit');
  });
  await once(createInterface(child.stdout), 'line');
  return end;
}
