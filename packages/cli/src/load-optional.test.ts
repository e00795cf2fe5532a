import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { loadOptional } from './load-optional.js';

/** The errors of Node itself, as its own loaders give them to a program without the package: vitest's differ. */
const importError = (specifier: string) => loadError('module', `import(${JSON.stringify(specifier)})`);
const requireError = (specifier: string) => loadError('commonjs', `Promise.resolve().then(() => require(${JSON.stringify(specifier)}))`);

function loadError(type: string, load: string): Error {
  const program = `${load}.catch(({ code, message }) => console.log(JSON.stringify({ code, message })))`;
  const text = execFileSync(process.execPath, [`--input-type=${type}`, '-e', program], { cwd: tmpdir(), encoding: 'utf8' });
  const { code, message } = JSON.parse(text);
  return Object.assign(new Error(message), { code });
}

it.each([importError, requireError])('names the command that installs a missing package', async (errorOf) => {
  const missing = errorOf('@nodeagent/no-such-package');
  await expect(loadOptional('@nodeagent/no-such-package', () => Promise.reject(missing))).rejects.toMatchObject({
    code: 'PACKAGE_NOT_INSTALLED',
    message: 'package @nodeagent/no-such-package is not installed',
    hint: expect.stringContaining('"npm install @nodeagent/no-such-package"'),
    cause: missing,
  });
});

it.each([importError, requireError])('names it for a missing subpath of the package as well', async (errorOf) => {
  const missing = errorOf('@nodeagent/no-such-package/decisions');
  const loading = loadOptional('@nodeagent/no-such-package', () => Promise.reject(missing));
  await expect(loading).rejects.toMatchObject({ code: 'PACKAGE_NOT_INSTALLED' });
});

it('passes through other errors, and the loaded module', async () => {
  for (const dependency of [importError('@nodeagent/another-package'), requireError('@nodeagent/no-such-package-2')])
    await expect(loadOptional('@nodeagent/no-such-package', () => Promise.reject(dependency))).rejects.toBe(dependency);
  const broken = new SyntaxError('Unexpected token');
  await expect(loadOptional('@nodeagent/no-such-package', () => Promise.reject(broken))).rejects.toBe(broken);
  await expect(loadOptional('@nodeagent/no-such-package', async () => 7)).resolves.toBe(7);
});
