import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { packages } from '../packages.mjs';
import { root } from '../pnpm.mjs';

const isShipped = (file) => file.endsWith('.ts') && !/\.(test|test-d|fixture)\.ts$|(^|\/)test-[^/]+\.ts$|^generated\//.test(file);

/** The packages with the syntax trees of the sources that they ship. */
export const parsedPackages = () =>
  packages().map(({ name, dir }) => {
    const src = join(dir, 'src');
    const files = readdirSync(src, { recursive: true }).filter(isShipped).sort();
    return { name, files: files.map((file) => parse(join(src, file))) };
  });

function parse(path) {
  return ts.createSourceFile(relative(root, path), readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true);
}

/** All nodes of a tree that the guard accepts, in their order. */
export function nodesOf(tree, isWanted) {
  const found = [];
  const visit = (node) => {
    if (isWanted(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The text of the docstring of a declaration on one line; empty without one. */
export function docstringOf(node) {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(doc?.comment) ?? '').replace(/\s+/g, ' ').trim();
}

/** `file:line` of a node. */
export function placeOf(node) {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

/** A cell of a Markdown table. */
export const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{{', '{ {').replace(/\s+/g, ' ').trim();

/** The initializer of an object's property, also of a shorthand one; undefined if the object does not have it. */
export function propertyOf(object, name) {
  const property = object.properties.find((each) => each.name?.getText() === name);
  return property && (ts.isShorthandPropertyAssignment(property) ? property.name : property.initializer);
}
