import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CdiDevices, type CdiFile, readCdiDevices } from '../spec/cdi/cdi-devices.js';

/** The CDI devices of this machine. The files are parsed again only once one of them has changed. */
export interface CdiRegistry {
  devices(): Promise<CdiDevices>;
}

/** @param folders - those of CDI specifications; they may be missing */
export function createCdiRegistry(folders: readonly string[]): CdiRegistry {
  let known = '';
  let parsed: Promise<CdiDevices> | undefined;
  return {
    devices() {
      const files = folders.map(specificationsIn);
      const current = JSON.stringify(files.flat().map(({ path, facts }) => [path, facts.ino, facts.size, facts.mtimeMs]));
      if (parsed === undefined || current !== known) {
        known = current;
        parsed = readCdiDevices(files.map((each) => each.flatMap(({ path }) => readFile(path))));
      }
      return parsed;
    },
  };
}

/** Container Device Interface, "CDI JSON Specification": the extension decides, and folders below are not read. */
function specificationsIn(folder: string): { path: string; facts: Stats }[] {
  const names = namesIn(folder).filter((name) => /\.(json|yaml)$/.test(name));
  return names.sort().flatMap((name) => {
    const path = join(folder, name);
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts?.isFile() ? [{ path, facts }] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Nothing of a file that was removed meanwhile. */
function readFile(path: string): CdiFile[] {
  try {
    return [{ path, text: readFileSync(path, 'utf8') }];
  } catch {
    return [];
  }
}
