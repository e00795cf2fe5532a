import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from './generate/json.js';

const folder = fileURLToPath(new URL('./cases', import.meta.url));

/** An input that once broke a promise. */
export interface FuzzCase {
  name: string;
  /** What it broke. */
  found: string;
  input: Json;
}

/** The kept cases of a target. */
export function casesOf(target: string): FuzzCase[] {
  const names = readdirSync(folder).includes(target) ? readdirSync(join(folder, target)).sort() : [];
  return names.map((name) => ({ name, ...JSON.parse(readFileSync(join(folder, target, name), 'utf8')) }));
}

/** Writes a case, and returns its path. */
export function keepCase(target: string, { name, ...content }: FuzzCase): string {
  const path = join(folder, target, name);
  mkdirSync(join(folder, target), { recursive: true });
  writeFileSync(path, caseText(content));
  return path;
}

/** The content of a case's file. */
export function caseText(content: Omit<FuzzCase, 'name'>): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
