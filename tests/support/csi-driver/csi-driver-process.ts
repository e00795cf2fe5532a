import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CsiCall, type CsiFault, type CsiTestDisk, createCsiTestDriver } from '@nodeagent/csi/test-driver';

/** What the parent asks for. */
export interface DriverCommand {
  fail: [method: CsiCall['method'], fault: CsiFault];
}

/** Arguments: the driver's name, its folder, and the sockets that it registers on and serves. */
const [name = '', folder = '', registrationSocket = '', socket = ''] = process.argv.slice(2);

/** Kept in a file: what was mounted outlives the process. */
class FileMap extends Map<string, string> {
  constructor(private readonly file: string) {
    super();
    for (const [key, value] of Object.entries(readIfThere(file))) super.set(key, value);
  }
  override set(key: string, value: string): this {
    super.set(key, value);
    this.write();
    return this;
  }
  override delete(key: string): boolean {
    const existed = super.delete(key);
    this.write();
    return existed;
  }
  private write(): void {
    writeFileSync(this.file, JSON.stringify(Object.fromEntries(this)));
  }
}

function readIfThere(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

const isMounted = (path: string) => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${path} `);

/** Each volume is a separate folder, bind-mounted to its target path. */
const folders: CsiTestDisk = {
  mount({ volumeId, path }) {
    const data = join(folder, 'volumes', volumeId);
    mkdirSync(data, { recursive: true });
    mkdirSync(path, { recursive: true });
    if (!isMounted(path)) run('mount', '--bind', data, path);
  },
  unmount(path) {
    while (isMounted(path)) run('umount', path);
  },
};

mkdirSync(folder, { recursive: true });
mkdirSync(dirname(registrationSocket), { recursive: true });
const driver = createCsiTestDriver({
  name,
  registrationSocket,
  socket,
  disk: folders,
  memory: { staged: new FileMap(join(folder, 'staged.json')), published: new FileMap(join(folder, 'published.json')) },
  onCall: (call) => process.send?.(call),
});
process.on('message', ({ fail: [method, fault] }: DriverCommand) => driver.fail(method, fault));
// It ends with its parent.
process.on('disconnect', () => process.exit());
await driver.start();
process.send?.({ method: 'started', request: {} });
