import ts from 'typescript';
import { nodesOf, propertyOf } from './sources.mjs';

/**
 * The texts that an expression can have, as far as the syntax tree of its package shows: follows constants, parameters to the calls of
 * their function, and properties to object literals. Undefined for an expression that none of these explains.
 */
export function textsOf(expression, files, depth = 0) {
  if (depth > 8 || expression === undefined) return undefined;
  const follow = (next) => textsOf(next, files, depth + 1);
  const all = (expressions) => {
    const texts = expressions.map(follow);
    return texts.length === 0 || texts.includes(undefined) ? undefined : texts.flat();
  };
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isTemplateExpression(expression)) return templateTexts(expression, follow);
  if (ts.isConditionalExpression(expression)) return all([expression.whenTrue, expression.whenFalse]);
  if (ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return all([expression.left, expression.right])?.length === 2 ? [follow(expression.left)[0] + follow(expression.right)[0]] : undefined;
  if (ts.isAsExpression(expression) || ts.isParenthesizedExpression(expression)) return follow(expression.expression);
  if (ts.isIdentifier(expression) || ts.isPropertyAccessExpression(expression)) return all(originsOf(expression, files));
  return undefined;
}

/** A template with each value that its expressions can have; `*` where that is open. */
function templateTexts({ head, templateSpans }, follow) {
  let texts = [head.text];
  for (const { expression, literal } of templateSpans) {
    const values = follow(expression) ?? ['*'];
    texts = texts.flatMap((text) => values.map((value) => text + value + literal.text));
  }
  return texts;
}

/** The expressions that an identifier or a property can stand for. */
export function originsOf(expression, files) {
  if (ts.isPropertyAccessExpression(expression)) return propertyOrigins(expression.expression, expression.name.text, files);
  if (ts.isConditionalExpression(expression))
    return [expression.whenTrue, expression.whenFalse].flatMap((branch) => originsOf(branch, files));
  if (!ts.isIdentifier(expression)) return [];
  const declaration = declarationOf(expression, files);
  if (declaration === undefined) return [];
  if (ts.isBindingElement(declaration)) {
    const name = (declaration.propertyName ?? declaration.name).getText();
    const owner = declaration.parent.parent;
    if (ts.isParameter(owner)) return argumentsFor(owner, files).flatMap((argument) => propertyOrigins(argument, name, files));
    if (owner.initializer !== undefined) return propertyOrigins(owner.initializer, name, files);
    return elementsOf(owner, files).flatMap((element) => propertyOrigins(element, name, files));
  }
  if (ts.isParameter(declaration)) return argumentsFor(declaration, files);
  return declaration.initializer === undefined ? [] : [declaration.initializer];
}

function propertyOrigins(owner, name, files) {
  const object = ts.isAsExpression(owner) ? owner.expression : owner;
  if (ts.isObjectLiteralExpression(object)) {
    const value = propertyOf(object, name);
    return value === undefined ? [] : [value];
  }
  if (ts.isIdentifier(object) || ts.isPropertyAccessExpression(object))
    return originsOf(object, files).flatMap((origin) => propertyOrigins(origin, name, files));
  if (ts.isConditionalExpression(object))
    return [object.whenTrue, object.whenFalse].flatMap((branch) => propertyOrigins(branch, name, files));
  if (ts.isCallExpression(object)) return returnedBy(object, files).flatMap((returned) => propertyOrigins(returned, name, files));
  return [];
}

/** What the loop variable of `for (const x of [...])` stands for. */
function elementsOf(declaration, files) {
  const loop = declaration.parent?.parent;
  if (loop === undefined || !ts.isForOfStatement(loop)) return [];
  const list = ts.isIdentifier(loop.expression) ? originsOf(loop.expression, files)[0] : loop.expression;
  return list !== undefined && ts.isArrayLiteralExpression(list) ? [...list.elements] : [];
}

/** The nearest declaration: in the scopes around the identifier, else exported by a file of the package. */
function declarationOf(identifier, files) {
  for (let scope = identifier.parent; scope !== undefined; scope = scope.parent) {
    const parameters = ts.isFunctionLike(scope) ? scope.parameters : [];
    const statements = ts.isBlock(scope) || ts.isSourceFile(scope) ? scope.statements.filter(ts.isVariableStatement) : [];
    const variables = statements.flatMap(({ declarationList }) => [...declarationList.declarations]);
    if (ts.isForOfStatement(scope) && ts.isVariableDeclarationList(scope.initializer)) variables.push(...scope.initializer.declarations);
    const found = [...parameters, ...variables].map((each) => named(each, identifier.text)).find((each) => each !== undefined);
    if (found !== undefined) return found;
  }
  return files
    .flatMap((file) => file.statements.filter(ts.isVariableStatement))
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find(({ name }) => name.getText() === identifier.text);
}

/** The declaration itself or the element of its pattern that declares the name. */
function named(declaration, name) {
  if (ts.isIdentifier(declaration.name)) return declaration.name.text === name ? declaration : undefined;
  return declaration.name.elements.find((element) => !ts.isOmittedExpression(element) && element.name.getText() === name);
}

/** What callers in the package give for a parameter. */
function argumentsFor(parameter, files) {
  const owner = parameter.parent;
  const name = owner.name?.getText() ?? (ts.isVariableDeclaration(owner.parent) ? owner.parent.name.getText() : undefined);
  if (name === undefined) return [];
  const index = owner.parameters.indexOf(parameter);
  const isMethod = ts.isMethodDeclaration(owner);
  const callers = ts.isArrowFunction(owner) ? [owner.getSourceFile()] : files;
  return callsOf(name, callers)
    .filter(({ expression }) => ts.isIdentifier(expression) !== isMethod)
    .flatMap((call) => call.arguments[index] ?? []);
}

const calledName = ({ expression }) => (ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText());

const callsOf = (name, files) => files.flatMap((file) => nodesOf(file, (node) => ts.isCallExpression(node) && calledName(node) === name));

/** What a function of the package returns. */
function returnedBy(call, files) {
  const name = calledName(call);
  const bodies = files.flatMap((file) =>
    nodesOf(file, (node) => (ts.isFunctionDeclaration(node) && node.name?.text === name) || isNamedArrow(node, name)).map(
      (node) => (ts.isVariableDeclaration(node) ? node.initializer : node).body,
    ),
  );
  return bodies.flatMap((body) => {
    if (body === undefined) return [];
    if (!ts.isBlock(body)) return [ts.isParenthesizedExpression(body) ? body.expression : body];
    return nodesOf(body, (node) => ts.isReturnStatement(node) && node.expression !== undefined).map(({ expression }) => expression);
  });
}

const isNamedArrow = (node, name) =>
  ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer !== undefined && ts.isArrowFunction(node.initializer);
