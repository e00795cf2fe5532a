// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withTable, wordProblems } from './words.mjs';
import { allowed, words } from './words-list.mjs';

type Problem = { path: string; line: number; text: string };
const found = (path: string, text: string) =>
  (wordProblems(path, text) as Problem[]).map(({ line, text: problem }) => `${line} ${problem.replace(/: write .*/, '')}`);

it('reports the line, the word and what to write instead', () => {
  expect(wordProblems('x.ts', '\n// what it is told\n')).toEqual([
    { path: 'x.ts', line: 2, text: 'comment: "told": write report, log, emit (an event), receive, notify' },
  ]);
});

describe('finds', () => {
  it.each([
    ['a comment', 'const a = 1; // the pod is gone', '1 comment: "gone"'],
    ['a docstring', '/** Reads it.\n * Nobody waits. */', '2 comment: "Nobody"'],
    ['a phrase over two lines of a docstring', '/** The one\n * before it. */', '1 comment: "The one before"'],
    ['a phrase over two comments', '// a timer of\n// its own', '1 comment: "of its own"'],
    ['a string', "throw new Error('it is gone');", '1 string: "gone"'],
    ['a template', 'const a = `pod ${b}\n is gone`;', '2 string: "gone"'],
    ['a regular expression', 'expect(a).toThrow(/is gone/);', '1 string: "gone"'],
    ['a variable', 'const lastMoment = 1;', '1 name: "lastMoment"'],
    ['a parameter', 'function f(mostBytes: number) {}', '1 name: "mostBytes"'],
    ['a field', 'interface A {\n  isTold: boolean;\n}', '2 name: "isTold"'],
    ['a name in a comment', '/** See `lastMoment`. */', '1 name: "lastMoment"'],
  ])('%s', (_, text, problem) => {
    expect(found('x.ts', text)).toEqual([problem]);
  });

  it.each([
    ['prose', '# A\n\nA pod that is gone.', '3 prose: "gone"'],
    ['a name', 'Call `tell()`.', '1 name: "tell"'],
    ['an output', '```text\nthe pod is gone\n```', '2 string: "gone"'],
    ['a comment of an example', '```ts\nf(); // until it is gone\n```', '2 comment: "gone"'],
    ['a declaration of an example', '```ts\nconst moment = f();\n```', '2 name: "moment"'],
  ])('%s in Markdown', (_, text, problem) => {
    expect(found('x.md', text)).toEqual([problem]);
  });

  it('a file name, and the description of a package', () => {
    expect(found('packages/a/src/pod-life.test.ts', '')).toEqual(['1 file name: "packages/a/src/pod-life.test.ts"']);
    expect(found('packages/a/package.json', '{\n  "description": "Tells it"\n}')).toEqual(['2 string: "Tells"']);
  });
});

it.each([
  ['x.ts', "import { moment } from './moment.js';\nmoment(); a.moment;"],
  ['x.ts', "import { b } from './told.js';\nexport * from './gone.js';"],
  ['x.ts', 'const a = "it" + "s // gon" + e; const almost = /[/]/; const mosted = leastwise;'],
  ['x.ts', '// look up the pod, as soon as it looks like one; tell apart; in order to; in order.'],
  ['x.ts', '// see https://example.org/gone'],
  ['x.md', '[a](gone.md) <!-- gone -->'],
  ['x.md', 'Figure out the 410 Gone. Takes up to two minutes. Hello world.'],
  ['x.ts', '/** The pod li */ const fe = 1; /** is going */'],
])('accepts %s: %s', (path, text) => {
  expect(found(path, text)).toEqual([]);
});

it('accepts a listed word only within a text that is allowed for the file', () => {
  const allowedTexts = [{ text: 'pod is gone', path: 'packages/a/', reason: 'message of the kubelet' }];
  const text = "log('the pod is gone'); log('it is gone');";
  expect(wordProblems('packages/a/x.ts', text, allowedTexts)).toHaveLength(1);
  expect(wordProblems('packages/b/x.ts', text, allowedTexts)).toHaveLength(2);
});

it('has a reason for each allowed text, and none that no file has', () => {
  for (const { text, path, reason } of allowed as { text: string; path?: string; reason: string }[]) {
    expect(reason, text).toMatch(/\w{3}/);
    if (path?.includes('.')) expect(readFileSync(path, 'utf8')).toContain(text);
  }
});

it('names each word once, with a replacement', () => {
  expect(new Set(words.map(({ instead }: { instead: string }) => instead)).size).toBe(words.length);
  for (const { write } of words) expect(write).not.toBe('');
});

it('is the table of docs/language.md, whose words are not reported', () => {
  const page = readFileSync('docs/language.md', 'utf8');
  expect(withTable(page)).toBe(page);
  expect(found('docs/language.md', page)).toEqual([]);
});
