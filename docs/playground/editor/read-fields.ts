import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { FieldTable } from './fields.js';

/** The kinds that the playground's cluster acts on, by the file of kubernetes-types that declares them. */
const kindsByFile: Readonly<Record<string, readonly string[]>> = {
  'core/v1': ['Pod', 'ConfigMap', 'Secret', 'Service', 'Namespace', 'ServiceAccount', 'LimitRange'],
  'apps/v1': ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'],
  'batch/v1': ['Job'],
  'scheduling/v1': ['PriorityClass'],
};

/** The fields of the kinds and of all types that they refer to, from the declarations of kubernetes-types. */
export function readFields(): FieldTable {
  const folder = dirname(createRequire(import.meta.url).resolve('kubernetes-types/package.json'));
  const files = [...Object.keys(kindsByFile), 'meta/v1'];
  const sources = files.map((file) =>
    ts.createSourceFile(file, readFileSync(join(folder, `${file}.d.ts`), 'utf8'), ts.ScriptTarget.Latest, true),
  );
  const interfaces = new Map(
    sources.flatMap((source) => source.statements.filter(ts.isInterfaceDeclaration).map((each) => [each.name.text, each])),
  );
  const table: FieldTable = { kinds: {}, types: {} };
  const add = (type: string): void => {
    const declaration = interfaces.get(type);
    if (declaration === undefined || type in table.types) return;
    const members = declaration.members.filter(ts.isPropertySignature);
    table.types[type] = Object.fromEntries(members.map((member) => [nameOf(member.name), [typeOf(member.type), summaryOf(member)]]));
    for (const [field] of Object.values(table.types[type] ?? {})) add(field.replace('[]', ''));
  };
  for (const [file, kinds] of Object.entries(kindsByFile))
    for (const kind of kinds) {
      add(kind);
      table.kinds[kind] = file === 'core/v1' ? 'v1' : file;
    }
  return table;
}

const nameOf = (name: ts.PropertyName) => (ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : name.getText());

/** The name of a type, of an array's elements with `[]`. */
function typeOf(node: ts.TypeNode | undefined): string {
  if (node === undefined) return '';
  if (ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Array') return `${typeOf(node.typeArguments?.[0])}[]`;
  if (ts.isArrayTypeNode(node)) return `${typeOf(node.elementType)}[]`;
  if (ts.isTypeReferenceNode(node)) return node.typeName.getText();
  return ts.isTypeLiteralNode(node) ? 'map' : node.getText().replaceAll('"', '');
}

/** The first sentence of a docstring. */
function summaryOf(member: ts.Node): string {
  const text = ts
    .getJSDocCommentsAndTags(member)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
    .join(' ');
  const sentence = /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
  return sentence.length > 200 ? `${sentence.slice(0, 200)}…` : sentence;
}
