import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const isOfContainerd = (name) => /^(containerd|ctr$)/.test(name);

/** Gives this process and its children a PATH like the present one without containerd, for as long as this process runs. */
export function hideContainerd() {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-path-'));
  // Tests start programs as other users too.
  chmodSync(folder, 0o755);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const linked = new Set();
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of programsIn(dir).filter((name) => !linked.has(name) && !isOfContainerd(name))) {
      symlinkSync(join(dir, name), join(folder, name));
      linked.add(name);
    }
  }
  process.env.PATH = folder;
}

function programsIn(dir) {
  try {
    return readdirSync(dir);
  } catch {
    // A PATH may name folders that do not exist.
    return [];
  }
}
