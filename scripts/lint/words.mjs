// Reports the words of words-list.mjs: `node scripts/lint/words.mjs [PATH...]`, with a count for each package. `--write` writes the table of
// docs/language.md. It exists because spelling linters see neither names nor the difference between code and a text in it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root } from '../lib/pnpm.mjs';
import { allowed, words } from './words-list.mjs';

/** Files that list or test the words themselves, and API reports, which repeat the sources. */
const skipped = /^(scripts\/lint\/words(-list\.mjs|\.mjs|\.test\.ts)|packages\/[^/]+\/etc\/[^/]+\.api\.md)$/;
const languagePage = 'docs/language.md';
const table = /(<!-- words -->\n).*?(<!-- \/words -->)/s;

/** Hides a character of what a layer does not contain; no pattern matches over it. */
const hidden = '\0';

/**
 * What a file contains, by layer. `comments`, `strings` and `prose` are as long as the file, with everything else hidden, so that an offset in
 * them is one in the file and a phrase may break over lines.
 */
function layersOf(path, text) {
  if (path.endsWith('.md')) return markdownLayers(text);
  if (path.endsWith('package.json')) return { strings: only(text, [...text.matchAll(/"description": "[^\n]*"/g)].map(rangeOf)), names: [] };
  return codeLayers(path, text);
}

function codeLayers(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const literals = [];
  const modules = [];
  const names = [];
  const visit = (node) => {
    const range = [node.getStart(file), node.end];
    if (isModuleName(node)) modules.push(range);
    else if (ts.isLiteralExpression(node) && !ts.isNumericLiteral(node) && !ts.isBigIntLiteral(node)) literals.push(range);
    else if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) literals.push(range);
    else if (ts.isIdentifier(node) && isDeclared(node)) names.push({ name: node.text, offset: range[0] });
    ts.forEachChild(node, visit);
  };
  visit(file);
  // Without its literals, a text is one that the scanner reads without a parser.
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, blank(text, [...literals, ...modules], ' '));
  const comments = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind === ts.SyntaxKind.SingleLineCommentTrivia || kind === ts.SyntaxKind.MultiLineCommentTrivia) {
      comments.push([scanner.getTokenStart(), scanner.getTokenEnd()]);
    }
  }
  const marks = /(?<!:)\/\/+|\/\*+|\*\/|(?<=\n[ \t]*)\*(?=\s)/g;
  const commentText = only(text, comments).replace(marks, (mark) => ' '.repeat(mark.length));
  const { prose, names: quoted } = withoutCode(commentText);
  return { comments: prose, strings: only(text, literals), names: [...names, ...quoted] };
}

const isModuleName = (node) => ts.isStringLiteral(node) && (ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent));

/** Whether this is where a name comes from: its uses need no report. */
function isDeclared(node) {
  const { parent } = node;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return parent.propertyName !== undefined && parent.name === node;
  if (ts.isShorthandPropertyAssignment(parent) || ts.isPropertyAccessExpression(parent)) return false;
  return parent.name === node;
}

function markdownLayers(text) {
  const fences = [...text.matchAll(/^( *)```(\w*)[^\n]*\n(.*?)^\1```/gms)];
  const layers = withoutCode(
    blank(text, fences.map(rangeOf), hidden)
      .replace(/\]\([^)\n]*\)|<!--.*?-->/gs, hide)
      .replace(/^(#+|[-*>|]|\d+\.)(?= )/gm, (mark) => ' '.repeat(mark.length)),
  );
  let strings = hide(text);
  let comments = hide(text);
  for (const fence of fences) {
    const offset = fence.index + fence[0].indexOf('\n') + 1;
    const body = fence[3];
    const isCode = /^(ts|tsx|js|mjs|cjs|typescript|javascript)$/.test(fence[2]);
    const code = isCode ? codeLayers('fence.ts', body) : { comments: hide(body), strings: body, names: [] };
    strings = replaced(strings, offset, code.strings);
    comments = replaced(comments, offset, code.comments);
    layers.names.push(...code.names.map((each) => ({ ...each, offset: each.offset + offset })));
  }
  return { prose: layers.prose, comments, strings, names: layers.names };
}

/** A text without addresses, code in backticks and links to code, and the names in that code. */
function withoutCode(text) {
  const names = [];
  const prose = text.replace(/\bhttps?:\/\/\S+/g, hide).replace(/`[^`\0]*`|\{@link[^}]*\}/g, (code, offset) => {
    for (const name of code.matchAll(/[A-Za-z_$][\w$]*/g)) names.push({ name: name[0], offset: offset + name.index });
    return hide(code);
  });
  return { prose, names };
}

const rangeOf = (match) => [match.index, match.index + match[0].length];
const hide = (text) => text.replace(/[^\n]/g, hidden);
const replaced = (text, offset, part) => text.slice(0, offset) + part + text.slice(offset + part.length);

/** The text with the ranges filled, line ends kept. */
function blank(text, ranges, filler) {
  return ranges.reduce((all, [from, to]) => replaced(all, from, all.slice(from, to).replace(/[^\n]/g, filler)), text);
}

/** The text with everything hidden but the ranges, and white space. */
function only(text, ranges) {
  return ranges.reduce((all, [from, to]) => replaced(all, from, text.slice(from, to)), text.replace(/\S/g, hidden));
}

/** `mostBytes` as "most bytes". */
const wordsOf = (name) =>
  name
    .replace(/([a-z\d])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
    .replace(/[^A-Za-z]+/g, ' ')
    .trim()
    .toLowerCase();

const prosePatterns = new Map(
  words.filter(({ prose }) => prose).map((entry) => [entry, new RegExp(entry.prose.source.replaceAll(' ', '\\s+'), 'gi')]),
);

/** The listed words in one file, as `{ path, line, text }`. */
export function wordProblems(path, content, exceptions = allowed) {
  const text = path === languagePage ? content.replace(table, (whole) => whole.replace(/[^\n]/g, ' ')) : content;
  const { names, ...texts } = layersOf(path, text);
  const exempt = exemptRanges(path, text, exceptions);
  const found = new Map();
  const report = (offset, word, where, { write }) => {
    const isExempt = exempt.some(([from, to]) => from <= offset && offset + word.length <= to);
    if (!isExempt) found.set(`${offset} ${word}`, { path, offset, text: `${where}: "${word.replace(/\s+/g, ' ')}": write ${write}` });
  };
  for (const [layer, layerText] of Object.entries(texts)) {
    for (const [entry, pattern] of prosePatterns) {
      for (const match of layerText.matchAll(pattern)) report(match.index, match[0], layer.replace(/s$/, ''), entry);
    }
  }
  for (const { name, offset } of names) {
    const entry = words.find((each) => each.names?.test(wordsOf(name)));
    if (entry !== undefined) report(offset, name, 'name', entry);
  }
  const isMisnamed = ({ names: pattern }) => path.split('/').some((part) => pattern?.test(wordsOf(part.replace(/\.\w+$/, ''))));
  const misnamed = words.find(isMisnamed);
  if (misnamed !== undefined) report(-1, path, 'file name', misnamed);
  return [...found.values()]
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset, ...problem }) => ({ ...problem, line: text.slice(0, Math.max(offset, 0)).split('\n').length }));
}

/** Where the file has texts that keep their words. */
function exemptRanges(path, text, exceptions) {
  return exceptions
    .filter((each) => path.startsWith(each.path ?? ''))
    .flatMap((each) => [...text.matchAll(new RegExp(each.text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'g'))].map(rangeOf));
}

/** The table of docs/language.md. */
export function wordTable() {
  const rows = words.map(({ instead, write, prose, names }) => `| ${instead} | ${write} | ${prose || names ? 'lint' : 'review'} |`);
  return ['| instead of | write | found by |', '|---|---|---|', ...rows, ''].join('\n');
}

/** The page with the table of today. */
export const withTable = (page) => page.replace(table, (_, start, end) => `${start}${wordTable()}${end}`);

function main(args) {
  const page = readFileSync(join(root, languagePage), 'utf8');
  const written = withTable(page);
  if (args.includes('--write')) return writeFileSync(join(root, languagePage), written);
  if (written !== page) {
    console.error(`${languagePage}: its table differs from scripts/lint/words-list.mjs: run node scripts/lint/words.mjs --write`);
    process.exitCode = 1;
  }
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...args];
  const paths = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((path) => /(\.(ts|mts|cts|mjs|cjs|md)|\/package\.json)$/.test(path) && !path.includes('/generated/') && !skipped.test(path))
    .filter((path) => existsSync(join(root, path)));
  const problems = [...new Set(paths)].flatMap((path) => wordProblems(path, readFileSync(join(root, path), 'utf8')));
  for (const { path, line, text } of problems) console.error(`${path}:${line}: ${text}`);
  const counts = {};
  for (const { path } of problems) {
    const folder = /^(packages|examples|tests)\/[^/]+|^[^/]+/.exec(path)[0];
    counts[folder] = (counts[folder] ?? 0) + 1;
  }
  for (const [folder, count] of Object.entries(counts)) console.error(`${String(count).padStart(6)} ${folder}`);
  console.error(`words: ${problems.length} problem${problems.length === 1 ? '' : 's'} in ${paths.length} files`);
  if (problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
