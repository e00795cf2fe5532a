import { chmodSync, copyFileSync, lstatSync, lutimesSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes files below a folder with fixed modes, whatever the umask: 0644, 0755 for programs and folders. */
export function createFileTree(folder) {
  const pathOf = (file) => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  return {
    folder,
    write(file, content, mode = 0o644) {
      writeFileSync(pathOf(file), content);
      chmodSync(join(folder, file), mode);
    },
    copy(source, file, mode = 0o644) {
      copyFileSync(source, pathOf(file));
      chmodSync(join(folder, file), mode);
    },
    link: (target, file) => symlinkSync(target, pathOf(file)),
    /** Sets the modes of folders and all times; call it last. */
    finish(epochSeconds) {
      for (const path of ['', ...readdirSync(folder, { recursive: true })].map((name) => join(folder, name))) {
        if (lstatSync(path).isDirectory()) chmodSync(path, 0o755);
        lutimesSync(path, epochSeconds, epochSeconds);
      }
    },
  };
}

/** The files below a folder with their sizes, without folders and links. */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path, file: path.slice(folder.length + 1), bytes: lstatSync(path).size }));
}
