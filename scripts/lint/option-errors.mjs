// An invalid option is reported in one way: invalidOption, invalidOptionText or requirePositive of @nodeagent/api, which name the option's
// path in details.field. No package creates its own error with the code InvalidOption.
// It exists because the rule is the project's own.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { lineOf, reportProblems, sourceFiles, visitNodes } from './source-files.mjs';

const helper = 'packages/api/src/helpers/options.ts';

/** The problems of one source text, as `path:line: text`. */
export function optionErrorProblems(path, text) {
  const problems = [];
  if (path === helper || !/invalidOption/i.test(text)) return problems;
  visitNodes(path, text, (node) => {
    if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return;
    const [code] = node.arguments ?? [];
    const isCode =
      code !== undefined &&
      ((ts.isStringLiteralLike(code) && code.text === 'InvalidOption') ||
        (ts.isPropertyAccessExpression(code) && code.name.text === 'invalidOption'));
    if (isCode) problems.push(`${path}:${lineOf(node)}: create the error of an invalid option by invalidOption() of @nodeagent/api`);
  });
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  reportProblems(
    'option-errors',
    sourceFiles().flatMap(({ path, text }) => optionErrorProblems(path, text)),
  );
}
