import { expect, it } from 'vitest';
import { checkManifests } from './check-manifests.js';
import { fieldPath } from './manifest-text.js';

const pod = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
    - name: main
      image: app:1
`;
const linesOf = async (text: string) => (await checkManifests(text)).map(({ line, message }) => `${line}: ${message}`);

it('accepts what an API server accepts', async () => {
  expect(await checkManifests(pod)).toEqual([]);
  expect(await checkManifests('')).toEqual([]);
});

it('reports YAML that cannot be read at its line', async () => {
  expect(await linesOf(`${pod}  - bad: [`)).toEqual([expect.stringMatching(/^9: /)]);
  expect(await linesOf(`${pod}spec: {}\n`)).toContainEqual(expect.stringMatching(/^9: .*twice/));
  expect(await linesOf(`${pod}---\njust a text\n`)).toEqual([expect.stringMatching(/^10: expected an object/)]);
});

it('reports a refused field at its line, in the second document too', async () => {
  const text = `${pod}---\n${pod.replace('name: web', 'name: other').replace('name: main', 'name: UPPER')}`;
  expect(await linesOf(text)).toEqual([expect.stringMatching(/^16: spec\.containers\[0\]\.name: Invalid value: "UPPER"/)]);
});

it('reports a missing field at its parent, and an unknown one at its line', async () => {
  expect(await linesOf(pod.replace('    - name: main\n      image: app:1', '    - image: app:1'))).toEqual([
    expect.stringMatching(/^7: .*name: Required value/),
  ]);
  expect(await linesOf(pod.replace('image:', 'imagee:'))).toEqual([expect.stringMatching(/^8: .*unknown field/)]);
  expect(await linesOf('kind: Pod\n')).toEqual([expect.stringMatching(/^1: .*apiVersion not set/)]);
});

it('reports a behaviour that it does not know', async () => {
  const annotated = (key: string, text: string) => pod.replace('  name: web\n', `  name: web\n  annotations:\n    ${key}: '${text}'\n`);
  expect(await linesOf(annotated('playground/main', 'exit: { after: 5s, code: 1 }'))).toEqual([]);
  expect(await linesOf(annotated('playground/main', 'exits: 1'))).toEqual([expect.stringMatching(/^6: behaviour: unknown field "exits"/)]);
  expect(await linesOf(annotated('playground/main', 'exit: { afterr: 5s }'))).toEqual([
    expect.stringMatching(/unknown field "exit.afterr"/),
  ]);
  expect(await linesOf(annotated('playground/main', 'exit: { after: later }'))).toEqual([
    expect.stringMatching(/"later" is not a duration/),
  ]);
  expect(await linesOf(annotated('playground/mian', '{}'))).toEqual([expect.stringMatching(/no container "mian", only main/)]);
});

it('reads paths as the API server writes them', () => {
  expect(fieldPath('spec.containers[0].image')).toEqual(['spec', 'containers', 0, 'image']);
  expect(fieldPath('metadata.labels[app.kubernetes.io/name]')).toEqual(['metadata', 'labels', 'app.kubernetes.io/name']);
});
