// Pulls, as root also unpacks, and removes images for ever, until it is killed: node FILE ROOT HOST.
import { openImageStore } from './image-store.js';

async function pullAndRemove([root = '', host = '']: readonly string[]): Promise<void> {
  const store = await openImageStore({ root, machine: { os: 'linux', architecture: 'amd64' } });
  const unpack = process.geteuid?.() === 0;
  process.stdout.write('open\n');
  for (let round = 0; ; round++) {
    await Promise.all(['first', 'second'].map((image) => store.pull(`${host}/team/${image}:1`, { unpack })));
    await store.remove(`${host}/team/${round % 2 === 0 ? 'first' : 'second'}:1`);
  }
}

void pullAndRemove(process.argv.slice(2));
