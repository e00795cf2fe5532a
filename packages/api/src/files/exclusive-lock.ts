import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../clock/system-clock.js';
import { errorCode } from '../contracts/errors.js';
import type { LockHolder } from '../helpers/lock-holder.js';
import { shortFolderPath } from './short-path.js';
import { unlinkIfExistsSync } from './unlink-if-exists.js';

/** What a process with a socket of the lock answers. */
interface Answer extends LockHolder {
  isHeld: boolean;
}

/** A process that has a socket of the lock; without an answer it holds the lock. */
interface Rival {
  file: string;
  answer: Answer | undefined;
}

/** Folder of the machine's locks, which only root can use. */
const machineFolder = '/run/nodeagent';
const answerTimeoutMs = 2_000;
const maxAnswerLength = 1_000;
const pollMs = 10;

/**
 * Takes an exclusive lock on what a folder stands for, for as long as this process runs. The holder listens on the socket `name` in the folder,
 * and answers who it is. So the lock also holds between PID, network and mount namespaces that share the folder, and the kernel ends it
 * with the process: nothing connects to the socket that a killed process left. A process cannot take the same lock twice.
 *
 * @param folder - it must exist
 * @param heldBy - the error to reject with if a process holds the lock; its holder is undefined if it does not answer
 * @returns a function that releases the lock and removes its socket
 */
export async function lockExclusively(
  folder: string,
  name: string,
  heldBy: (holder: LockHolder | undefined) => Error,
): Promise<() => void> {
  const contender = `${name}.${process.pid}-${randomBytes(8).toString('hex')}`;
  await readdir(folder);
  const { path, release } = await shortFolderPath(folder, `.${contender}`);
  let isHeld = false;
  let server: Server | undefined;
  const end = () => {
    // Before the server closes: after that the holder's socket is that of the next holder.
    for (const file of [contender, ...(isHeld ? [name] : [])]) unlinkIfExistsSync(`${path}/${file}`);
    server?.close();
    void release();
  };
  try {
    server = await answerOn(`${path}/.${contender}`, () => ({ ...self(), isHeld }));
    // Under its name once it listens: nothing connects to a socket before that, as to one that a killed process left.
    renameSync(`${path}/.${contender}`, `${path}/${contender}`);
    while (!isHeld) {
      const rivals = await findRivals(path, name, contender);
      // Of several contenders the one with the smallest name waits until the others have given up, or one of them was faster.
      const stronger = rivals?.find(({ file, answer }) => answer === undefined || answer.isHeld || file < contender);
      if (stronger) throw heldBy(stronger.answer);
      isHeld = rivals?.length === 0;
      if (!isHeld) await systemClock.sleep(pollMs);
    }
    renameSync(`${path}/${contender}`, `${path}/${name}`);
    return end;
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Takes an exclusive lock among the agents on this machine, as {@link lockExclusively} does, in `/run/nodeagent`. Processes that are not root
 * take it among those of their user, in `nodeagent` of `$XDG_RUNTIME_DIR`, without that variable in `nodeagent-UID` of the folder for temporary
 * files. Rejects with `heldBy`, and if the folder cannot be used or is another user's.
 */
export async function lockOnMachine(name: string, heldBy: (holder: LockHolder | undefined) => Error): Promise<() => void> {
  const uid = process.getuid?.() ?? 0;
  const folder = uid === 0 ? machineFolder : userFolder(uid);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const facts = lstatSync(folder);
  if (!facts.isDirectory() || facts.uid !== uid) throw new Error(`${folder} is not a folder of this process's user`);
  return lockExclusively(folder, name, heldBy);
}

function userFolder(uid: number): string {
  const { XDG_RUNTIME_DIR: runtimeFolder } = process.env;
  return runtimeFolder ? join(runtimeFolder, 'nodeagent') : join(tmpdir(), `nodeagent-${uid}`);
}

/**
 * The other processes that hold the lock or contend for it; undefined if one renamed its socket meanwhile, under whose new name it may not be in the
 * list. Removes the sockets that killed contenders left; that of a killed holder is replaced by the next one's.
 */
async function findRivals(path: string, name: string, contender: string): Promise<Rival[] | undefined> {
  const rivals: Rival[] = [];
  for (const file of socketsOf(path, name, contender)) {
    const answer = await ask(`${path}/${file}`);
    if (answer === 'moved') return undefined;
    if (answer !== 'dead') rivals.push({ file, answer });
    else if (file !== name) unlinkIfExistsSync(`${path}/${file}`);
  }
  return rivals;
}

function socketsOf(path: string, name: string, contender: string): string[] {
  const isContender = (file: string) => file.startsWith(`${name}.`) && /^\d+-[0-9a-f]{16}$/.test(file.slice(name.length + 1));
  return readdirSync(path).filter((file) => file !== contender && (file === name || isContender(file)));
}

const pidNamespace = () => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
};
const self = () => ({ pid: process.pid, namespace: pidNamespace() });

async function answerOn(path: string, answer: () => object): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.write(JSON.stringify(answer()));
    socket.destroySoon();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  return server;
}

/** Undefined if the process does not answer, or its user is another one. */
function ask(path: string): Promise<Answer | undefined | 'dead' | 'moved'> {
  return new Promise((resolve) => {
    const socket = connect(path);
    let text = '';
    const finish = (answer: Answer | undefined | 'dead' | 'moved') => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(answerTimeoutMs, () => finish(undefined));
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.length > maxAnswerLength) finish(undefined);
    });
    socket.on('end', () => finish(parseAnswer(text)));
    socket.on('error', (error) => {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ECONNRESET') finish('moved');
      else finish(code === 'ECONNREFUSED' ? 'dead' : undefined);
    });
  });
}

function parseAnswer(text: string): Answer | undefined {
  try {
    const { pid, namespace, isHeld } = JSON.parse(text) as { pid: number; namespace: string; isHeld: boolean };
    return { pid, isHeld, isInOtherNamespace: namespace !== pidNamespace() };
  } catch {
    return undefined;
  }
}
