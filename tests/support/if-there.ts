import { readdirSync, readFileSync } from 'node:fs';

/** Names in a folder; empty if it does not exist, or is removed meanwhile. */
export function listIfThere(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Text of a file; empty if it does not exist, or is removed meanwhile. */
export function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
