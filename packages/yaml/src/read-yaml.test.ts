import { describe, expect, it } from 'vitest';
import * as yaml from 'yaml';
import { readScalars, readYaml } from './read-yaml.js';
import { yamlLimits } from './yaml-limits.js';
import { toYamlValue } from './yaml-values.js';

const readValue = async (text: string) => {
  const [document, ...more] = await readYaml(text);
  expect([document?.problem, more]).toEqual([undefined, []]);
  return document?.value;
};
const lines = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, index) => line(index)).join('\n');

describe('readYaml', () => {
  it('reads YAML 1.1, with times as text', async () => {
    expect(await readValue('mode: 0644\non: yes\nat: 12:30\nday: 2026-01-01\nbig: 1_000\nnone: ~\n? 1\n: x\n')).toEqual({
      mode: 0o644,
      true: true,
      at: '12:30',
      day: '2026-01-01',
      big: 1000,
      none: null,
      1: 'x',
    });
  });

  it('knows how the text writes a scalar', async () => {
    const written = await readScalars('a: 1\n---\nmode: 0644\nlist:\n- {big: 12_345}\n- 1e3\nlist2: &a [7]\nagain: *a\nmode: 0x1F\n');
    expect(written(1, ['a'])).toBe('1');
    const paths = [['mode'], ['list', 0, 'big'], ['list', '1'], ['list2', 0]];
    expect(paths.map((path) => written(2, path))).toEqual(['0x1F', '12_345', '1e3', '7']);
    expect((await readScalars('~: 0644\n'))(1, [''])).toBe('0644');
    const none = [['list'], ['again', 0], ['none'], ['mode', 'x']];
    expect([...none.map((path) => written(2, path)), written(3, ['a'])]).toEqual(Array(5).fill(undefined));
    expect((await readScalars('a: [1'))(1, ['a', 1])).toBeUndefined();
    expect((await readScalars('[ '.repeat(20_000)))(1, [0])).toBeUndefined();
  });

  it('refuses other versions than YAML 1.1, and unknown directives, as Kubernetes does', async () => {
    expect(await readValue('%YAML 1.1\n---\na: yes\n')).toEqual({ a: true });
    for (const directive of ['%YAML 1.2', '%YAML 1.3', '%OTHER x']) {
      const [document] = await readYaml(`${directive}\n---\na: !!binary aGk=\n`);
      expect(document, directive).toMatchObject({ problem: { code: 'BAD_DIRECTIVE' } });
      expect(document, directive).not.toHaveProperty('value');
    }
    const texts = await readYaml('a: 1\n...\n%YAML 1.2\n---\nb: yes\n---\nc: yes\n');
    expect(texts.map(({ value }) => value)).toEqual([{ a: 1 }, undefined, { c: true }]);
  });

  it.each([
    ['little-endian with a byte order mark', Buffer.from('\ufeffkind: Pod\n', 'utf16le')],
    ['big-endian with a byte order mark', Buffer.from('\ufeffkind: Pod\n', 'utf16le').swap16()],
    ['little-endian', Buffer.from('kind: Pod\n', 'utf16le')],
    ['big-endian', Buffer.from('kind: Pod\n', 'utf16le').swap16()],
  ])('names UTF-16: %s', async (_, bytes) => {
    const problem = { code: 'ENCODING', message: 'the text is UTF-16, not UTF-8' };
    expect(await readYaml(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))).toEqual([
      { document: 1, duplicateLines: [], problem },
    ]);
  });

  it('resolves aliases to the anchor before them, and merge keys', async () => {
    expect(
      await readValue('a: &x {p: 1, q: 2}\nb: *x\nc: &x [1]\nd: *x\ne: {q: 3, <<: *x}\n'.replace('e: {q: 3, <<: *x}', 'e: *x')),
    ).toEqual({ a: { p: 1, q: 2 }, b: { p: 1, q: 2 }, c: [1], d: [1], e: [1] });
    expect(await readValue('a: &a {p: 1, q: 2}\nb: {q: 3, <<: *a}\nc: {<<: [*a, {p: 7, r: 8}], q: 4}\n')).toMatchObject({
      b: { p: 1, q: 3 },
      c: { p: 1, q: 4, r: 8 },
    });
  });

  it('makes __proto__ a key like any other', async () => {
    const value = await readValue('__proto__: {polluted: yes}\n<<: {__proto__: {a: 1}}\n');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('numbers the documents of a text and names their problems apart', async () => {
    expect(await readYaml('a: 1\n---\n# empty\n---\nb: c: d\n---\ne: 2\n')).toEqual([
      { document: 1, value: { a: 1 }, duplicateLines: [] },
      { document: 2, value: null, duplicateLines: [] },
      {
        document: 3,
        duplicateLines: [],
        problem: {
          code: 'BLOCK_AS_IMPLICIT_KEY',
          line: 5,
          message: 'Nested mappings are not allowed in compact mappings at line 5, column 4',
        },
      },
      { document: 4, value: { e: 2 }, duplicateLines: [] },
    ]);
    expect(await readYaml('')).toEqual([]);
  });

  it('names the line of each key that occurs twice, and takes the last value', async () => {
    const text = 'a: 1\nb: {c: 1, d: 2, c: 3}\n1: x\n"1": z\na: 2\na: 3\n<<: {a: 9, e: 5}\n';
    expect(await readYaml(text)).toEqual([{ document: 1, value: { a: 3, b: { c: 3, d: 2 }, 1: 'z', e: 5 }, duplicateLines: [2, 4, 5, 6] }]);
  });

  it.each([
    ['a: *b', 'an alias without an anchor before it at line 1'],
    ['a: &a [*a]', 'an alias without an anchor before it at line 1'],
    ['a: 1\n? [x]\n: y', 'a key must be a string, a number or a boolean at line 2'],
    ['a: 1\n<<: 5', 'a merge key (<<) requires a map or a list of maps at line 2'],
    ['@', 'Plain value cannot start with reserved character @ at line 1, column 1'],
    [']\n]\n]', 'Unexpected flow-seq-end token in YAML document: "]" at line 1, column 1'],
  ])('refuses %j', async (text, message) => {
    expect((await readYaml(text)).map(({ problem }) => problem?.message)).toEqual([message]);
  });
});

describe('limits', () => {
  const limitOf = async (text: string) => {
    const [document, ...more] = await readYaml(text);
    expect(more).toEqual([]);
    return document?.problem;
  };

  it.each([
    ['bytes', 'bytes for YAML', (count: number) => `a: "${'x'.repeat(count - 5)}"`],
    ['bytes in UTF-8', 'bytes for YAML', (count: number) => `a: "${'é'.repeat((count - 6) / 2 + (count % 2))}"`],
    ['levels', 'levels', (count: number) => '['.repeat(count - 1) + ']'.repeat(count - 1)],
    ['aliases', 'aliases', (count: number) => `a: &a 1\nb:\n${lines(count, () => '- *a')}`],
  ])('refuse a text of too many %s, and only that', async (_, noun, text) => {
    const limit = { 'bytes for YAML': yamlLimits.bytes, levels: yamlLimits.depth, aliases: yamlLimits.aliases }[noun] ?? 0;
    expect(await limitOf(text(limit))).toBeUndefined();
    expect(await limitOf(text(limit + 1))).toMatchObject({ code: 'LIMIT', message: expect.stringMatching(`limit of ${limit} ${noun}$`) });
  });

  it('refuse too many documents, and only that', async () => {
    const text = (count: number) => lines(count, (index) => `---\na: ${index}`);
    expect(await readYaml(text(yamlLimits.documents))).toHaveLength(yamlLimits.documents);
    expect(await limitOf(text(yamlLimits.documents + 1))).toEqual({ code: 'LIMIT', message: 'more than the limit of 1000 documents' });
  });

  it('refuse aliases that stand for too many values, also when the documents share them out', async () => {
    const bomb = `a0: &a0 [x, x]\n${lines(40, (index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`)}`;
    const message = 'aliases expand to more than the limit of 100000 values';
    expect(await limitOf(bomb)).toEqual({ code: 'LIMIT', message });
    const share = `a: &a [${'x, '.repeat(30_000)}]\nb: [*a, *a]\n`;
    const documents = await readYaml(`${share}---\n${share}`);
    expect(documents.map(({ problem }) => problem?.message)).toEqual([undefined, message]);
  });

  it('refuse nesting that would end the process in the library', async () => {
    for (const open of ['[', '{a: ', '- ', '? ', '[#\n', '[a:'])
      expect(await limitOf(open.repeat(100_000 / open.length))).toMatchObject({ code: 'LIMIT' });
    expect(await limitOf(lines(1000, (index) => `${' '.repeat(index)}a:`))).toMatchObject({ code: 'LIMIT' });
  });
});

describe('the time that it takes', () => {
  /** How often the conversion inspects a node of the text. */
  const inspections = (text: string) => {
    let count = 0;
    const counting = new Proxy(yaml, {
      get: (target, name: keyof typeof yaml) => {
        if (name.startsWith('is')) count += 1;
        return target[name];
      },
    });
    toYamlValue(counting, yaml.parseDocument(text, { version: '1.1', uniqueKeys: false }).contents, { aliases: 0, aliasedValues: 0 });
    return count;
  };

  it.each([
    ['keys', (count: number) => lines(count, (index) => `key${index}: v`)],
    ['keys of a flow map', (count: number) => `{${lines(count, (index) => `key${index}: v,`)}}`],
    ['aliases', (count: number) => lines(count, (index) => `a${index}: &a${index} v\nb${index}: *a${index}`)],
    ['merges', (count: number) => `a: &a {x: 1}\nb:\n${lines(count, () => '- {<<: *a}')}`],
  ])('grows with the number of %s, not with its square', (_, text) => {
    const [some, more] = [inspections(text(200)), inspections(text(800))];
    expect(some).toBeGreaterThan(200);
    expect(more).toBeLessThan(4.1 * some);
  });

  // On a busy machine it takes three seconds; with the library's own check of keys it took more than two minutes.
  it.each([
    ['60,000 keys', lines(60_000, (index) => `key${index}: v`), 60_000],
    ['60,000 keys of a flow map', `{${lines(60_000, (index) => `key${index}: v,`)}}`, 60_000],
    [
      '50,000 anchors and 1,000 aliases',
      `${lines(50_000, (index) => `k${index}: &a${index} v`)}\nz:\n${lines(1000, () => '- *a0')}`,
      50_001,
    ],
  ])(
    'is bounded for %s',
    async (_, text, keys) => {
      expect(Object.keys((await readValue(text)) as object)).toHaveLength(keys);
    },
    30_000,
  );

  it.each([
    ['a comma too many', '{a: 1'.padEnd(200_000, ',')],
    ['a bracket too many', ']\n'.repeat(100_000)],
    ['an anchor too many', `a: ${'&x '.repeat(60_000)}b`],
  ])(
    'is not spent on each error of a text with %s at each place',
    async (_, text) => {
      expect((await readYaml(text)).filter(({ problem }) => problem)).toHaveLength(1);
    },
    30_000,
  );
});
