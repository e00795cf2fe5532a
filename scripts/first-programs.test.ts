import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { firstPrograms } from './lib/first-programs.mjs';

it.each(firstPrograms)('%s has at most 30 lines, and is plain JavaScript too', (name) => {
  const text = readFileSync(`examples/${name}/main.ts`, 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  expect(transformSync(text, { loader: 'js' }).code).toContain('@nodeagent/');
});
