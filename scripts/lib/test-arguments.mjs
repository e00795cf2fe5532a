import { parseArgs } from 'node:util';

/**
 * The flags and steps in the arguments of scripts/test.mjs; of invalid ones the exit code and the error.
 * @param {readonly string[]} args
 * @returns {{ without: string | undefined, help: boolean, wanted: string[] } | { exitCode: number, text: string }}
 */
export function readTestArguments(args) {
  const options = { without: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const { without, help } = values;
    if (without !== undefined && without !== 'root' && without !== 'containerd')
      return refusal(`--without must be root or containerd, not "${without}"`);
    return { without, help, wanted: positionals };
  } catch (error) {
    return refusal(error.message);
  }
}

/**
 * What ends a run before its first step: the help, or the error about a step that does not exist.
 * @param {{ without: string | undefined, help: boolean, wanted: readonly string[] }} run
 * @param {readonly { name: string, title?: string, nightly?: boolean }[]} steps
 * @returns {{ exitCode: number, text: string } | undefined}
 */
export function answerInsteadOfRun({ without, help, wanted }, steps) {
  if (help) return { exitCode: 0, text: helpText(steps) };
  const names = steps.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown === undefined) return undefined;
  const close = closeNames(unknown, names);
  const hint = close.length > 0 ? `; close to it: ${close.join(', ')}` : '';
  return refusal(`no step "${unknown}"${without === undefined ? '' : ` in a run without ${without}`}${hint}`);
}

const refusal = (text) => ({ exitCode: 2, text: `test: ${text}\n\n"npm test -- --help" lists the steps` });

function helpText(steps) {
  const width = Math.max(...steps.map(({ name }) => name.length));
  const line = ({ name, title = name, nightly }) => `  ${name.padEnd(width)}  ${title}${nightly ? ' (only if named)' : ''}`;
  return `usage: npm test -- [--without root|containerd] [STEP...]

Runs the whole test suite, or the named steps of it. The last line has the numbers of passed and failed checks.

  --without  runs the steps in which root, or containerd, changes something: as a user who is not root, or without containerd in PATH

Steps:
${steps.map(line).join('\n')}

Exit codes: 0 all passed, 1 some failed, 2 invalid arguments.`;
}

/** Names that begin with the word, have it as a part, or differ from it by at most two characters. */
function closeNames(word, names) {
  return names.filter((name) => name.includes(word) || (word.length > 2 && word.includes(name)) || distance(word, name) <= 2);
}

/** Levenshtein distance. */
function distance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, character] of Array.from(from).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(to).entries())
      next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (character === other ? 0 : 1)));
    row = next;
  }
  return row[to.length];
}
