import { blocksOf } from './blocks.mjs';

/**
 * What a reader does with the code blocks of a page, in order. Each step has a `kind`:
 * - `program`: a ```ts or ```js block: `code`, and `output`, the next ```text block before another block of code; without one it prints nothing.
 * - `commands`: a ```console block (lines after `$ `; not those of root, after `# `), a ```sh block, or an `npm install` without a language: `script`, and `output`, the other
 *   lines of the block or else the ```text block that follows; undefined if the page shows none. `ready` is in the output of commands that
 *   run in the background until the page ends.
 * - `file`: a block with a path: `path` and `text`. Files of examples/NAME are in the reader's folder, without it.
 * - `manifest`: a ```yaml or ```json block, also one with a path.
 * - `quote`: an export of a package, which quote-code.mjs compares with the source.
 * - `skip`: not run, with the `reason`, its `language` and `text`.
 */
export function stepsOf(markdown) {
  const steps = [];
  for (const block of blocksOf(markdown)) {
    const { language, text, notCompared } = block;
    const last = steps.at(-1);
    if (language !== 'text') steps.push(...stepsOfCode(block));
    else if (last !== undefined && ['program', 'commands'].includes(last.kind) && notCompared === undefined) last.output ??= text;
  }
  return steps;
}

const drawings = ['', 'mermaid'];

function stepsOfCode({ language, text, file, notRun, background }) {
  const isManifest = ['yaml', 'json'].includes(language);
  if (notRun !== undefined) return [{ kind: 'skip', reason: notRun, language, text }];
  if (file?.startsWith('packages/')) return [{ kind: 'quote' }];
  if (file !== undefined)
    return [{ kind: 'file', path: file.replace(/^examples\/[^/]+\//, ''), text }, ...(isManifest ? [{ kind: 'manifest', text }] : [])];
  if (isManifest) return [{ kind: 'manifest', text }];
  if (['ts', 'js'].includes(language)) return [{ kind: 'program', code: text }];
  if (language === 'console' && /^# /m.test(text)) return [{ kind: 'skip', reason: 'commands of root', language, text }];
  if (language === 'console') return [{ kind: 'commands', ...sessionOf(text), ready: background }];
  if (['sh', 'bash'].includes(language) || text.startsWith('npm install ')) return [{ kind: 'commands', script: text }];
  return drawings.includes(language) ? [] : [{ kind: 'skip', reason: `${language} has no check`, language, text }];
}

/** The commands of a terminal session and what it shows of their output. A command continues after `\` and up to the end of a here-document. */
function sessionOf(text) {
  const commands = [];
  const output = [];
  let previous = '';
  let end;
  for (const line of text.split('\n').slice(0, -1)) {
    const isContinued = end !== undefined || previous.endsWith('\\');
    if (!isContinued && !line.startsWith('$ ')) {
      output.push(line);
      previous = '';
      continue;
    }
    previous = isContinued ? line : line.slice(2);
    commands.push(previous);
    if (previous === end) end = undefined;
    else end ??= /<<-?'?(\w+)/.exec(previous)?.[1];
  }
  return { script: linesOf(commands), output: output.length === 0 ? undefined : linesOf(output) };
}

const linesOf = (lines) => lines.map((line) => `${line}\n`).join('');
