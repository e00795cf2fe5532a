import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The two pods of the recorded trees: a Burstable one with one container, and a Guaranteed static one, whose UID has no dashes. */
export const webPod = { uid: '8f14e45f-ceea-467f-a0e6-9d2f1c3b5a77', sandboxId: '5a'.repeat(32), containerId: '1c'.repeat(32) };
export const staticPod = { uid: 'c9f0f895fb98ab9159f51fd0297e236d', sandboxId: '6b'.repeat(32), containerId: '2d'.repeat(32) };

export type TreeName = 'v1-cgroupfs' | 'v2-cgroupfs' | 'v2-systemd';

/** A tree of files that a test can change. */
export interface Tree {
  dir: string;
  /** The roots for a reader of the tree. */
  roots: { root: string; proc: string };
  /** A file below the root cgroup. */
  write(file: string, text: string): void;
  read(file: string): string;
  remove(path: string): void;
  destroy(): void;
}

/** Writes one of the trees in `fixtures/`: text files that have `=== path` before the content of each file. */
export function layOut(name: TreeName): Tree {
  const dir = mkdtempSync(join(tmpdir(), 'nodeagent-stats-'));
  const text = readFileSync(join(import.meta.dirname, '..', 'fixtures', `${name}.txt`), 'utf8');
  for (const part of text.split(/^=== /m).slice(1)) {
    const end = part.indexOf('\n');
    const file = join(dir, part.slice(0, end));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, part.slice(end + 1));
  }
  const root = join(dir, 'sys/fs/cgroup');
  const at = (path: string) => join(root, path);
  return {
    dir,
    roots: { root, proc: join(dir, 'proc') },
    write: (file, content) => writeFileSync(at(file), content),
    read: (file) => readFileSync(at(file), 'utf8'),
    remove: (path) => rmSync(at(path), { recursive: true, force: true }),
    destroy: () => rmSync(dir, { recursive: true, force: true }),
  };
}
