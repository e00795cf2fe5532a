import fc from 'fast-check';
import { apiServer, askApi } from '../generate/api-request.js';
import { type Json, jsonText, mutatedJson } from '../generate/json.js';
import { mutatedText } from '../generate/text.js';
import { promise, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const url = '/apis/apps/v1/namespaces/default/deployments';
const container = { name: 'main', image: 'nginx:1', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' }, finalizers: ['a.example/b', 'c.example/d'] },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
};

const pod = (fields: Json): Json => ({ spec: { template: { spec: fields } } });

/** Patches of each type that apply. */
const examples: Readonly<Record<string, readonly Json[]>> = {
  'json-patch+json': [
    [
      { op: 'test', path: '/spec/replicas', value: 2 },
      { op: 'replace', path: '/spec/replicas', value: 3 },
      { op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'side', image: 'x' } },
      { op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' },
      { op: 'move', from: '/metadata/finalizers/0', path: '/metadata/finalizers/1' },
      { op: 'remove', path: '/metadata/labels/app' },
    ],
  ],
  'merge-patch+json': [{ metadata: { labels: { app: null, tier: 'front' } }, spec: { replicas: 3, template } }],
  'strategic-merge-patch+json': [
    pod({
      $setElementOrder: null,
      '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }],
      containers: [{ name: 'side', image: 'x' }],
    }),
    pod({
      containers: [
        { name: 'main', $patch: 'delete' },
        { name: 'other', image: 'y' },
      ],
    }),
    pod({ containers: [{ $patch: 'replace' }, { name: 'only', image: 'z' }], $retainKeys: ['containers'] }),
    {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['a.example/b'] },
      spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    },
  ],
  'apply-patch+yaml': [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 3, template } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', labels: { a: 'b' } } },
  ],
};

const bodies = fc.constantFrom(...Object.keys(examples)).chain((type) => {
  const patch = mutatedJson(examples[type] as readonly Json[]).map((value) => jsonText(value));
  const pieces = fc.constantFrom(
    '"$patch":',
    '"$retainKeys":',
    '"op":"copy",',
    '"/a/-"',
    '~0',
    '~1',
    '[',
    '{',
    '}',
    'null',
    '1e400',
    '*a ',
    '&a ',
  );
  return fc.record({ type: fc.constant(type), body: fc.oneof(patch, mutatedText(patch, pieces, 3)) });
});

const server = apiServer();
server.objects.create(deployment);
server.checkpoint();

export const apiPatches = fuzzTarget({
  name: 'api-patches',
  promise: 'the test API server refuses a patch with a Status and changes nothing, or returns what it stores',
  runs: 600,
  inputs: bodies,
  async check({ type, body }) {
    server.reset();
    const before = server.objects.get('deployments', 'web');
    const request = {
      method: 'PATCH',
      url: `${url}/web${type.startsWith('apply') ? '?fieldManager=fuzz&force=true' : ''}`,
      body,
      headers: { 'content-type': `application/${type}` },
    };
    // Malformed directives of strategic merge and apply are 500 without a reason, as in a cluster.
    const { status, object } = await askApi(server, request, (code) => code <= 500);
    const after = server.objects.get('deployments', 'web');
    if (status < 300) promiseSame(object, JSON.parse(JSON.stringify(after)), 'the stored object');
    else promiseSame(after, before, 'the object after a refused patch');
    if (status === 500)
      promise(!/TypeError|RangeError|undefined|is not a|Cannot read/.test(object.message ?? ''), `the message ${object.message}`);
  },
});
