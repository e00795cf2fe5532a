import { expect, it } from 'vitest';
import { consoleWithFlags, systemConsole } from './console.js';

it("is the process's with V8 flags, also in a copy with other streams", () => {
  const copy = { ...consoleWithFlags(['--flag']), stdout: process.stderr };
  expect(copy).toEqual({ ...systemConsole, stdout: process.stderr, v8Flags: ['--flag'] });
  expect(copy.env).toBe(process.env);
});
