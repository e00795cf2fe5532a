import { expect, it } from 'vitest';
import { pathAt, suggest } from './fields.js';
import { readFields } from './read-fields.js';

const table = readFields();
const labels = (text: string) => {
  const [before = '', after = ''] = text.split('|');
  return suggest(table, before, after).map(({ label }) => label);
};

it('finds the path of a line by its indentation, in lists with and without indentation', () => {
  expect(pathAt(['spec:', '  containers:', '    - name: main', '      im'])).toEqual(['spec', 'containers']);
  expect(pathAt(['spec:', '  containers:', '  - name: main', '    im'])).toEqual(['spec', 'containers']);
  expect(pathAt(['spec:', '  containers:', '  - na'])).toEqual(['spec', 'containers']);
  expect(pathAt(['spec:', '  containers:', '    - name: main', '      livenessProbe:', '        httpGet:', '          pa'])).toEqual([
    'spec',
    'containers',
    'livenessProbe',
    'httpGet',
  ]);
  expect(pathAt(['spec:', '  containers:', '    - name: main', '  re'])).toEqual(['spec']);
});

it('suggests the fields of the type at the place', () => {
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: main\n';
  expect(labels(`${pod}      |`)).toEqual(expect.arrayContaining(['image', 'livenessProbe', 'resources']));
  expect(labels(`${pod}      livenessProbe:\n        httpGet:\n          |`)).toEqual(expect.arrayContaining(['path', 'port', 'scheme']));
  expect(labels(`${pod}  |`)).toEqual(expect.arrayContaining(['restartPolicy', 'terminationGracePeriodSeconds']));
  expect(labels(`${pod}      image: |`)).toEqual([]);
});

it('knows the kind of its document, also if it comes later', () => {
  expect(labels('kind: Pod\n---\nspec:\n  |\nkind: Deployment\n')).toEqual(expect.arrayContaining(['replicas', 'template']));
  expect(labels('kind: |')).toEqual(expect.arrayContaining(['Pod', 'Deployment', 'Job']));
  expect(labels('|')).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
});

it('has what each field means', () => {
  expect(suggest(table, 'kind: Pod\nspec:\n  restartP', '').find(({ label }) => label === 'restartPolicy')).toMatchObject({
    detail: 'string',
    summary: expect.stringMatching(/^Restart policy for all containers/),
  });
});
