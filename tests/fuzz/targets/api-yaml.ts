import fc from 'fast-check';
import { apiServer, askApi } from '../generate/api-request.js';
import { type Json, jsonText, mutatedJson } from '../generate/json.js';
import { mutatedText, yamlPieces } from '../generate/text.js';
import { promise, promisePlain } from '../promises.js';
import { fuzzTarget } from '../target.js';

const texts = [
  'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: &l {x: "y"}\n  annotations: *l\ndata:\n  k: |\n    text\n',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {<<: {x: "y"}}}\nbinaryData: {b: !!binary aGk=}\n',
  '# comment\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nimmutable: true\n...\n',
];
const objects: Json[] = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } }];

const server = apiServer();

export const apiYaml = fuzzTarget({
  name: 'api-yaml',
  promise: 'the test API server refuses a body in YAML with a Status, or creates a plain object of the kind',
  runs: 600,
  inputs: fc.record({
    text: fc.oneof(
      mutatedText(fc.constantFrom(...texts), yamlPieces, 4),
      mutatedJson(objects).map((value) => jsonText(value)),
    ),
  }),
  async check({ text }) {
    const request = { method: 'POST', url: '/api/v1/namespaces/default/configmaps?dryRun=All', body: text };
    const { status, object } = await askApi(server, { ...request, headers: { 'content-type': 'application/yaml' } });
    if (status !== 201) return;
    promisePlain(object, 'the object');
    promise(object.kind === 'ConfigMap', `the kind ${String(object.kind)}`);
    const values = Object.values({ ...(object.data as object), ...(object.binaryData as object) });
    promise(
      values.every((value) => typeof value === 'string' || value === null),
      'values that are no texts',
    );
  },
});
