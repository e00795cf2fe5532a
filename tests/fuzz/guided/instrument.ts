import ts from 'typescript';

/** A file with counters. */
export interface InstrumentedFile {
  /** JavaScript. It increments members of the array `fuzzEdges`. */
  code: string;
  /** Number of counted places. */
  edges: number;
  /** Texts and numbers of the source: an input may have to contain them to get further. */
  literals: (string | number)[];
}

const { factory } = ts;

/**
 * Adds a counter to each place that execution reaches or not: functions, both sides of a condition, loops, cases, handlers of errors. The places of
 * the file are numbered from `firstEdge`.
 */
export function instrument(source: string, fileName: string, firstEdge: number): InstrumentedFile {
  let nextEdge = firstEdge;
  const literals = new Set<string | number>();
  const count = () =>
    factory.createPostfixIncrement(factory.createElementAccessExpression(factory.createIdentifier('fuzzEdges'), nextEdge++));
  const counted = (node: ts.Node): ts.Node => {
    if (ts.isBlock(node)) return node;
    if (ts.isStatement(node)) return countedBlock([node]);
    return factory.createParenthesizedExpression(factory.createComma(count(), node as ts.Expression));
  };
  const countedBlock = (statements: readonly ts.Statement[]) =>
    factory.createBlock([factory.createExpressionStatement(count()), ...statements], true);

  const { outputText } = ts.transpileModule(source, {
    fileName,
    compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, allowJs: true },
    transformers: {
      before: [
        (context) => {
          const visit = (original: ts.Node): ts.Node => {
            if (ts.isStringLiteralLike(original)) literals.add(original.text);
            if (ts.isNumericLiteral(original)) literals.add(Number(original.text));
            const node = ts.visitEachChild(
              original,
              (child) => (isOptional(original, child) ? counted(visit(child)) : visit(child)),
              context,
            );
            if (ts.isBlock(node)) return countedBlock(node.statements);
            if (ts.isIfStatement(node) && node.elseStatement === undefined)
              return factory.updateIfStatement(node, node.expression, node.thenStatement, countedBlock([]));
            if (ts.isCaseClause(node)) return factory.updateCaseClause(node, node.expression, countedBlock(node.statements).statements);
            if (ts.isDefaultClause(node)) return factory.updateDefaultClause(node, countedBlock(node.statements).statements);
            return node;
          };
          return (file) => ts.visitEachChild(file, visit, context);
        },
      ],
    },
  });
  return { code: outputText, edges: nextEdge - firstEdge, literals: [...literals] };
}

const shortCircuits = [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken];

/** Whether execution may reach the parent without the child. */
function isOptional(parent: ts.Node, child: ts.Node): boolean {
  if (ts.isIfStatement(parent)) return child !== parent.expression;
  if (ts.isConditionalExpression(parent)) return child === parent.whenTrue || child === parent.whenFalse;
  if (ts.isBinaryExpression(parent)) return child === parent.right && shortCircuits.includes(parent.operatorToken.kind);
  if (ts.isArrowFunction(parent)) return child === parent.body;
  return ts.isIterationStatement(parent, false) && child === parent.statement;
}
