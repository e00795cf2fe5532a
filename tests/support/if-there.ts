import { readdirSync, readFileSync } from 'node:fs';

/** Names in a folder; empty if there is none, or it goes meanwhile. */
export function listIfThere(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Text of a file; empty if there is none, or it goes meanwhile. */
export function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
