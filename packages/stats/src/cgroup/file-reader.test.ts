import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFileReader, readValue } from './file-reader.js';
import { textOf } from './kernel-file.js';

let mount: string;
beforeAll(() => {
  mount = mkdtempSync(join(tmpdir(), 'nodeagent-größe-'));
  for (const pod of ['pod1', 'pod22']) {
    mkdirSync(join(mount, pod));
    writeFileSync(join(mount, pod, 'memory.max'), `${pod.length}\n`);
  }
});
afterAll(() => rmSync(mount, { recursive: true, force: true }));

it('reads file after file, whatever the lengths of their paths', () => {
  const files = createFileReader();
  expect(readValue(files, mount, '/pod22', 'memory.max')).toBe(5n);
  expect(readValue(files, mount, '/pod1', 'memory.max')).toBe(4n);
  expect(readValue(files, `${mount}/pod22`, '', 'memory.max')).toBe(5n);
  expect(readValue(files, mount, '/pod1', 'memory.high')).toBeUndefined();
  expect(readValue(files, undefined, '/pod1', 'memory.max')).toBeUndefined();
});

it('reads a file that is larger than any before', () => {
  const text = 'pgfault 1\n'.repeat(10_000);
  writeFileSync(join(mount, 'memory.stat'), text);
  const file = createFileReader().read(mount, '', 'memory.stat');
  expect(file && textOf(file)).toBe(text);
});

it('has nothing at a path that is longer than one may be, and reads nothing else in its place', () => {
  const files = createFileReader();
  expect(files.read(mount, '/pod1'.repeat(1000), 'memory.max')).toBeUndefined();
  expect(files.read(`${mount}${'/.'.repeat(2100)}`, '', 'memory.max')).toBeUndefined();
  expect(readValue(files, mount, '/pod1', 'memory.max')).toBe(4n);
});
