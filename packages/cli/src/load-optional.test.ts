import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { loadOptional } from './load-optional.js';

/** The error of Node itself, as its own loader gives it to a program without the package: vitest's differs. */
function importError(specifier: string): Error {
  const program = `import(${JSON.stringify(specifier)}).catch(({ code, message }) => console.log(JSON.stringify({ code, message })))`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: tmpdir(), encoding: 'utf8' });
  const { code, message } = JSON.parse(text);
  return Object.assign(new Error(message), { code });
}

it('names the command that installs a missing package', async () => {
  const missing = importError('@nodeagent/no-such-package');
  await expect(loadOptional('@nodeagent/no-such-package', () => Promise.reject(missing))).rejects.toMatchObject({
    code: 'PACKAGE_NOT_INSTALLED',
    message: 'package @nodeagent/no-such-package is not installed',
    hint: expect.stringContaining('"npm install @nodeagent/no-such-package"'),
    cause: missing,
  });
});

it('names it for a missing subpath of the package as well', async () => {
  const missing = importError('@nodeagent/no-such-package/decisions');
  const loading = loadOptional('@nodeagent/no-such-package', () => Promise.reject(missing));
  await expect(loading).rejects.toMatchObject({ code: 'PACKAGE_NOT_INSTALLED' });
});

it('passes through other errors, and the loaded module', async () => {
  const dependency = importError('@nodeagent/another-package');
  await expect(loadOptional('@nodeagent/no-such-package', () => Promise.reject(dependency))).rejects.toBe(dependency);
  const broken = new SyntaxError('Unexpected token');
  await expect(loadOptional('@nodeagent/no-such-package', () => Promise.reject(broken))).rejects.toBe(broken);
  await expect(loadOptional('@nodeagent/no-such-package', async () => 7)).resolves.toBe(7);
});
