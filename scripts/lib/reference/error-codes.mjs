import ts from 'typescript';
import { cell, docstringOf, nodesOf, placeOf } from './sources.mjs';
import { textsOf } from './values.mjs';

/** The page of all error codes. Throws if a code has no description. */
export function errorCodesPage(packages) {
  const sections = packages.flatMap(({ name, files }) => {
    const codes = new Map(files.flatMap((file) => [...tableCodes(file), ...unionCodes(file)]));
    for (const [code, message] of files.flatMap((file) => thrownCodes(file, files))) if (!codes.has(code)) codes.set(code, message);
    if (codes.size === 0) return [];
    const rows = [...codes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([code, text]) => `| \`${code}\` | ${cell(text)} |`);
    return [`## ${name}\n\n| Code | Meaning |\n| --- | --- |\n${rows.join('\n')}\n`];
  });
  return `# Error codes

This page is for everybody who handles errors of the packages. An error is a \`NodeAgentError\` of \`@nodeagent/api\`: \`code\` is one of the
codes below, \`retryable\` is true if the same call can succeed later, \`hint\` what to do about it, \`details\` the values, \`cause\` the
error behind it. Compare errors by \`code\`, not by class.

${sections.join('\n')}`;
}

/** The entries of tables such as `evictionErrorCodes`. */
function tableCodes(file) {
  const tables = nodesOf(file, (node) => ts.isVariableDeclaration(node) && /ErrorCodes$/.test(node.name.getText()));
  return tables.flatMap(({ initializer }) => {
    const object = ts.isAsExpression(initializer) ? initializer.expression : initializer;
    if (!ts.isObjectLiteralExpression(object)) return [];
    return object.properties.filter(ts.isPropertyAssignment).map((property) => {
      const text = docstringOf(property);
      if (text === '') throw new Error(`${placeOf(property)}: the error code has no docstring`);
      return [property.initializer.text, text];
    });
  });
}

/** The members of union types such as `CriErrorCode`, and the codes of tables that such a union is derived from. */
function unionCodes(file) {
  const aliases = nodesOf(file, (node) => ts.isTypeAliasDeclaration(node) && /ErrorCode$/.test(node.name.text));
  return aliases.flatMap((alias) => {
    const doc = alias.getFullText();
    const literals = nodesOf(alias, (node) => ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)).map(
      ({ literal }) => literal.text,
    );
    const derived = nodesOf(file, (node) => ts.isPropertyAssignment(node) && node.name.getText() === 'code').flatMap(({ initializer }) =>
      ts.isStringLiteral(initializer) ? [initializer.text] : [],
    );
    return [...new Set([...derived, ...literals])].map((code) => [code, bulletOf(doc, code) ?? statusText(code)]);
  });
}

/** The docstring's bullet about the code. */
function bulletOf(doc, code) {
  const [, text] = new RegExp(`\\* - .*\`${code}\`[^:\\n]*: ([^;.]+(?:\\n \\*   [^;.]+)*)`).exec(doc) ?? [];
  return text && `${text[0].toUpperCase()}${text.slice(1).replace(/\n \* {3}/g, ' ')}.`;
}

const statusText = (code) => `The call of the container runtime ended with the gRPC status \`${code.replace(/^CRI_/, '')}\`.`;

/** Codes that are thrown without a table, with their messages. */
function thrownCodes(file, files) {
  return nodesOf(file, (node) => ts.isNewExpression(node) && node.expression.getText() === 'NodeAgentError').flatMap((thrown) => {
    const [code, message] = thrown.arguments;
    if (!ts.isStringLiteral(code)) return [];
    const [text = '*'] = textsOf(message, files) ?? [];
    return [[code.text, `Message: \`${text.replaceAll('`', "'")}\``]];
  });
}
