import { NodeAgentError } from '@nodeagent/api';
import { expect, it } from 'vitest';
import type { LocalObject } from '../manifest/local-object.js';
import { allObjects, nextFileObjects } from './file-objects.js';
import type { FileSourceStep, ManifestFile } from './file-source-state.js';

const object = (name: string, value = ''): LocalObject => ({
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { value },
});
const refused = { document: 9, warnings: [], error: new NodeAgentError('NotAPod', 'no pod') };
const file = (name: string, ...documents: (LocalObject | typeof refused)[]): ManifestFile => ({
  file: name,
  documents: documents.map((each, index) => ('error' in each ? each : { document: index + 1, warnings: [], object: each })),
});
const after = (...steps: FileSourceStep[]) =>
  allObjects(steps.reduce<ReturnType<typeof nextFileObjects>>(nextFileObjects, new Map())).map(
    ({ metadata, data }) => `${metadata?.name}${data?.value}`,
  );
const scan = (...files: ManifestFile[]): FileSourceStep => ({ type: 'scan', single: false, files });

it.each<[string, FileSourceStep[], string[]]>([
  ['are those of all files', [scan(file('b', object('two')), file('a', object('one')))], ['one', 'two']],
  ['of one name are those of the last file', [scan(file('a', object('one', '1')), file('b', object('one', '2')))], ['one2']],
  ['change with their file', [scan(file('a', object('one', '1'))), { type: 'change', file: file('a', object('one', '2')) }], ['one2']],
  ['are removed with their file', [scan(file('a', object('one')), file('b', object('two'))), { type: 'delete', file: 'a' }], ['two']],
  ['are removed by a scan', [scan(file('a', object('one'))), scan()], []],
  ['are removed with the folder', [scan(file('a', object('one'))), { type: 'missing' }], []],
  [
    'remain while a document of the file is invalid',
    [scan(file('a', object('one'), object('two'))), scan(file('a', object('two'), refused))],
    ['two', 'one'],
  ],
])('the objects %s', (_, steps, expected) => {
  expect(after(...steps)).toEqual(expected);
});
