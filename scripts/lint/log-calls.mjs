// One log convention (docstring of Logger in packages/api/src/contracts/logger.ts): fields are an object literal, or left out; a thing has
// the same key in every line, by Kubernetes' guide to structured logging; an error is `err`, as an object, and not a part of the message.
// It exists because no linter knows the keys, and a Grit pattern of biome does not go over the fields of an object.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { lineOf, reportProblems, sourceFiles, visitNodes } from './source-files.mjs';

/** Keys that another key stands for. */
const replacedKeys = {
  cause: 'err',
  container: 'containerName',
  containerId: 'containerID',
  containerid: 'containerID',
  e: 'err',
  error: 'err',
  failure: 'err',
  nodeName: 'node',
  podId: 'podUID',
  podName: 'pod',
  podSandboxId: 'podSandboxID',
  podUid: 'podUID',
  sandboxID: 'podSandboxID',
  sandboxId: 'podSandboxID',
  uid: 'podUID',
};

const methods = new Set(['debug', 'info', 'warn', 'error', 'child']);

/** The problems of the log calls in one source text, as `path:line: text`. */
export function logCallProblems(path, text) {
  const problems = [];
  if (!/logger/i.test(text)) return problems;
  visitNodes(path, text, (node) => {
    if (!ts.isCallExpression(node) || !isLogCall(node.expression)) return;
    const report = (at, problem) => problems.push(`${path}:${lineOf(at)}: ${problem}`);
    const [first, message = first] = node.arguments;
    if (node.expression.name?.text === 'child') return checkFields(first, report);
    if (node.arguments.length === 2) checkFields(first, report);
    else if (first !== undefined && ts.isObjectLiteralExpression(first)) report(first, 'a log call with fields has a message too');
    if (message !== undefined) checkMessage(message, report);
  });
  return problems;
}

/** `logger.info(...)`, `this.#logger.warn(...)`, `logger[level](...)`, `logger.child(...)`. */
function isLogCall(callee) {
  if (ts.isPropertyAccessExpression(callee) && !methods.has(callee.name.text)) return false;
  if (!ts.isPropertyAccessExpression(callee) && !ts.isElementAccessExpression(callee)) return false;
  const { expression } = callee;
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : ts.isIdentifier(expression) ? expression.text : '';
  return /logger$/i.test(name);
}

function checkFields(fields, report) {
  if (!ts.isObjectLiteralExpression(fields)) return report(fields, 'the fields of a log call are an object literal');
  if (fields.properties.length === 0) report(fields, 'a log call without fields has the message alone');
  for (const property of fields.properties) {
    if (ts.isSpreadAssignment(property)) {
      const spread = conditionalFields(property.expression);
      if (spread === undefined) report(property, 'fields of a log call are named one by one: a spread hides their keys');
      else checkFields(spread, report);
      continue;
    }
    const key = property.name.text;
    if (Object.hasOwn(replacedKeys, key)) report(property, `the key "${key}" of a log call is "${replacedKeys[key]}"`);
    const value = ts.isPropertyAssignment(property) ? property.initializer : property.name;
    if (key === 'err' && isText(value)) report(property, '"err" is the error itself, not its text');
    if (key === 'pod' && !/\bpodKey\(/.test(value.getText()))
      report(property, '"pod" is podKey() of @nodeagent/api/helpers: namespace/name');
  }
}

/** `{...}` of `...(condition && {...})`. */
function conditionalFields(expression) {
  const inner = ts.isParenthesizedExpression(expression) ? expression.expression : expression;
  const isCondition = ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
  return isCondition && ts.isObjectLiteralExpression(inner.right) ? inner.right : undefined;
}

const isText = (value) =>
  ts.isStringLiteralLike(value) ||
  ts.isTemplateExpression(value) ||
  (ts.isPropertyAccessExpression(value) && value.name.text === 'message') ||
  (ts.isCallExpression(value) && /^(errorMessage|String)$/.test(value.expression.getText()));

/** The text of an error belongs to `err`. */
function checkMessage(message, report) {
  const visit = (node) => {
    const isError = ts.isIdentifier(node) && /^(e|err|error|cause)$/.test(node.text) && ts.isTemplateSpan(node.parent);
    if (isError || (!ts.isTemplateExpression(node) && isText(node) && !ts.isStringLiteralLike(node))) {
      return report(node, 'the text of an error is not in the message of a log call: pass the error as "err"');
    }
    ts.forEachChild(node, visit);
  };
  visit(message);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  reportProblems(
    'log-calls',
    sourceFiles().flatMap(({ path, text }) => logCallProblems(path, text)),
  );
}
