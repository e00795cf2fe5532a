import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A subnet that no other test on this machine has. */
export interface TestNetwork {
  number: number;
  /** A /16 in CIDR notation. */
  subnet: string;
  giveBack(): void;
}

const count = 50;

/** Test files run side by side, in processes of their own: who creates the file of a network has it, until its process ends. */
export function takeNetwork(): TestNetwork {
  const folder = join(tmpdir(), 'nodeagent-e2e-networks');
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < count; number++) {
    const file = join(folder, String(number));
    if (take(file)) return { number, subnet: `10.${200 + number}.0.0/16`, giveBack: () => rmSync(file, { force: true }) };
  }
  throw new Error(`all ${count} test networks are taken: ${folder}`);
}

function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const owner = Number(readFileSync(file, 'utf8'));
  if (owner === 0 || isAlive(owner)) return false;
  rmSync(file, { force: true });
  return take(file);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
