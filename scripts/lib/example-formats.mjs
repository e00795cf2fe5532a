import { transform } from 'esbuild';

/** The example as an ES module without types. */
export async function esModuleOf(example) {
  const { code } = await transform(example, { loader: 'ts', format: 'esm', target: 'node20' });
  return code;
}

/**
 * The example as CommonJS, as a user who cannot use `import` writes it: `require` instead of each import, and an async function around the
 * rest, as CommonJS has no top-level await. esbuild writes each import on one line, always in the same form, but converts no module with
 * top-level await itself. Throws if the example exports something.
 */
export async function commonJsOf(example) {
  const lines = (await esModuleOf(example)).split('\n');
  if (lines.some((line) => line.startsWith('export '))) throw new Error('the example exports something');
  const required = lines.map((line) => line.replace(/^import (?:(.*) from )?("[^"]*");$/, (_, names, id) => requireOf(names, id)));
  return `(async () => {\n${required.join('\n')}})();\n`;
}

function requireOf(names, id) {
  if (names === undefined) return `require(${id});`;
  const [, namespace] = /^\* as (\w+)$/.exec(names) ?? [];
  if (namespace !== undefined) return `const ${namespace} = require(${id});`;
  const [, byDefault, , named] = /^(\w+)?(, )?(\{.*\})?$/.exec(names) ?? [];
  const declared = byDefault === undefined ? [] : [`const ${byDefault} = require(${id}).default ?? require(${id});`];
  if (named !== undefined) declared.push(`const ${named.replaceAll(' as ', ': ')} = require(${id});`);
  return declared.join(' ');
}
