import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCheckpointFile } from './checkpoint-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'checkpoint-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const setUp = (damagedCode?: string) => {
  const path = join(folder, 'root', 'state');
  const decode = (text: string): number => {
    if (!/^\d+$/.test(text)) throw new Error('not a number');
    return Number(text);
  };
  const file = createCheckpointFile<number>({ path, encode: String, decode, ...(damagedCode !== undefined && { damagedCode }) });
  const damage = (text: string) => {
    mkdirSync(join(folder, 'root'), { recursive: true });
    writeFileSync(path, text);
  };
  return { path, file, damage };
};

it('loads the last saved state, from a file that only its owner can read', async () => {
  const { path, file } = setUp();
  expect(await file.load()).toBeUndefined();
  await file.save(1);
  await file.save(2);
  expect(await setUp().file.load()).toBe(2);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'root'))).toEqual(['state']);
});

it('renames a damaged file, logs both paths and a hint, and then works without it', async () => {
  const { path, file, damage } = setUp('InvalidThings');
  damage('older');
  await expect(file.load()).rejects.toThrow();
  damage('newer');
  await expect(file.load()).rejects.toMatchObject({
    code: 'InvalidThings',
    message: `${path}: not a number; renamed to ${path}.broken`,
    hint: expect.stringContaining(`repair ${path}.broken and rename it to ${path}`),
    details: { path, setAside: `${path}.broken` },
    cause: { message: 'not a number' },
  });
  expect(readFileSync(`${path}.broken`, 'utf8')).toBe('newer');
  expect(await file.load()).toBeUndefined();
  await file.save(3);
  expect(await file.load()).toBe(3);
});

it('logs a damaged file that cannot be renamed, and keeps it', async () => {
  const { path, file, damage } = setUp();
  damage('');
  mkdirSync(join(`${path}.broken`, 'in the way'), { recursive: true });
  await expect(file.load()).rejects.toMatchObject({
    code: 'InvalidCheckpoint',
    message: expect.stringContaining(`${path}: not a number; failed to rename it to ${path}.broken: E`),
    hint: expect.stringContaining(`Remove ${path}`),
    details: { path },
  });
  expect(readFileSync(path, 'utf8')).toBe('');
});

it('rejects and renames nothing if reading the file fails', async () => {
  const { path, file } = setUp();
  mkdirSync(path, { recursive: true });
  await expect(file.load()).rejects.toMatchObject({ code: 'NotRegularFile' });
  expect(readdirSync(join(folder, 'root'))).toEqual(['state']);
});
