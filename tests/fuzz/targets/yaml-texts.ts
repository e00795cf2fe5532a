import { isObject } from '@nodeagent/api/helpers';
import { readScalars, readYaml, type YamlDocument } from '@nodeagent/yaml';
import fc from 'fast-check';
import { manifestExamples } from '../examples/manifests.js';
import { textField } from '../generate/bytes.js';
import { jsonText } from '../generate/json.js';
import { mutatedText, yamlPieces } from '../generate/text.js';
import { promise, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const examples = [
  'a: 1\nb: [x, "y", \'z\']\nc:\n  - d: |\n      text\n    e: >-\n      folded\n',
  'base: &b {x: 1, y: [1.5, 0x1f, 0644, yes, ~]}\nuse:\n  <<: *b\n  z: *b\n',
  '%YAML 1.1\n---\n? key\n: value\n...\n---\n!!str 1\n--- # empty\n',
  '- !!binary aGk=\n- 2026-01-01\n- .inf\n- "\\u00e9\\x41\\t"\n- {a: , b}\n',
  ...manifestExamples.map((value) => jsonText(value)),
];

export const yamlTexts = fuzzTarget({
  name: 'yaml-texts',
  promise:
    'a text gives numbered documents of plain values, or problems on one line; JSON is read as JSON; the source of each value is found',
  runs: 350,
  inputs: fc.record({
    text: fc.oneof(
      mutatedText(fc.constantFrom(...examples), yamlPieces),
      fc.array(yamlPieces, { maxLength: 12 }).map((parts) => parts.join('')),
    ),
  }),
  content: textField('text'),
  async check({ text }) {
    const documents = await readYaml(text);
    promiseSame(await readYaml(text), documents, 'the second reading');
    const written = await readScalars(text);
    for (const [index, document] of documents.entries()) {
      promiseSame(document.document, index + 1, 'the number of a document');
      checkDocument(document);
      // Behind an alias, and for a key that comes from another map, there is no source.
      if (document.problem === undefined && !text.includes('*')) checkSources(document, (path) => written(document.document, path));
    }
    const json = jsonOf(text);
    const limited = documents.some(({ problem }) => problem?.code === 'LIMIT');
    if (json !== undefined && !limited) promiseSame(documents[0]?.value, json, 'the value of JSON');
    promiseSame(Object.keys(Object.prototype), [], 'the properties of all objects');
  },
});

function checkDocument({ value, problem, duplicateLines }: YamlDocument): void {
  promise(problem === undefined || value === undefined, 'a document with a problem has a value');
  if (problem)
    promise(problem.code !== '' && problem.message !== '' && !problem.message.includes('\n'), `the problem ${JSON.stringify(problem)}`);
  promise(
    [...duplicateLines, problem?.line ?? 1].every((line) => Number.isInteger(line) && line > 0),
    `the lines ${[...duplicateLines, problem?.line]}`,
  );
  if (problem === undefined) checkPlain(value);
}

/** Infinite numbers are for the reader of the value to refuse: it knows the field. */
function checkPlain(value: unknown): void {
  if (Array.isArray(value)) for (const each of value) checkPlain(each);
  else if (isObject(value)) {
    promise(Object.getPrototypeOf(value) === Object.prototype, 'an object with another prototype');
    for (const each of Object.values(value)) checkPlain(each);
  } else promise(value === null || ['string', 'number', 'boolean'].includes(typeof value), `a value of type ${typeof value}`);
}

function checkSources({ value, duplicateLines }: YamlDocument, written: (path: (string | number)[]) => string | undefined): void {
  const visit = (each: unknown, path: (string | number)[]): void => {
    if (Array.isArray(each)) for (const [index, entry] of each.entries()) visit(entry, [...path, index]);
    else if (isObject(each)) for (const [key, entry] of Object.entries(each)) visit(entry, [...path, key]);
    else if (each !== null) promise(written(path) !== undefined, `the value at ${JSON.stringify(path)} has no source`);
  };
  if (duplicateLines.length === 0) visit(value, []);
}

/** The value of a text that is a JSON object or list, without what YAML reads otherwise: numbers that are too large, and negative zeros. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text, (_, value) => {
      if (Object.is(value, -0) || value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)
        throw new RangeError('not compared');
      return value;
    });
  } catch {
    return undefined;
  }
}
