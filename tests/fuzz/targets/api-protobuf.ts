import { createTestApiServer } from '@nodeagent/test-api-server';
import { createVirtualClock } from '@nodeagent/testing';
import fc from 'fast-check';
import { fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { promise, promisePlain, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const protobuf = 'application/vnd.kubernetes.protobuf';

type Value = string | number | readonly Field[];
type Field = readonly [number: number, value: Value];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

/** A message by the numbers of its fields: texts, numbers and messages inside. */
function encode(fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(8 * number), varint(value)];
      const bytes = typeof value === 'string' ? Buffer.from(value) : encode(value);
      return [varint(8 * number + 2), varint(bytes.length), bytes];
    }),
  );
}

// biome-ignore format: a line a field
const envelope = (apiVersion: string, kind: string, fields: readonly Field[]) =>
  Buffer.concat([Buffer.from('k8s\0'), encode([[1, [[1, apiVersion], [2, kind]]], [2, fields]])]);

const metadata = (name: string, more: readonly Field[] = []): Field => [1, [[1, name], ...more]];

// biome-ignore format: a line an object
const schema: Field = [4, [[1, [[5, 'object'], [8, [[1, '{"a":1}']]], [20, [[1, '"x"']]], [24, [[2, [[5, 'string']]]]], [29, [[1, 'p'], [2, [[28, [[5, 'integer']]]]]]], [30, [[1, 1], [2, []]]]]]]];

/** Objects with maps, lists, times, quantities, ports, schemas and objects of any kind. */
// biome-ignore format: a line an object
const examples: readonly [path: string, body: Buffer][] = [
  ['/api/v1/namespaces/default/configmaps', envelope('v1', 'ConfigMap', [metadata('c', [[11, [[1, 'a'], [2, 'b']]]]), [2, [[1, 'k'], [2, 'v']]], [3, [[1, 'x'], [2, 'y']]], [4, 0]])],
  ['/api/v1/namespaces/default/pods', envelope('v1', 'Pod', [metadata('p', [[8, [[1, 1_700_000_000]]]]), [2, [[1, [[1, 'd'], [2, [[2, [[2, [[1, '1Gi']]]]]]]]], [2, [[1, 'main'], [2, 'nginx'], [6, [[3, 80]]], [8, [[2, [[1, 'cpu'], [2, [[1, '1']]]]]]], [10, [[1, [[2, [[2, [[1, 1], [3, 'http']]]]]]], [4, 5]]]]], [4, 30], [25, 0]]]])],
  ['/apis/apps/v1/namespaces/default/controllerrevisions', envelope('apps/v1', 'ControllerRevision', [metadata('r'), [2, [[1, '{"spec":{"a":[1,null]}}']]], [3, 1]])],
  ['/apis/coordination.k8s.io/v1/namespaces/default/leases', envelope('coordination.k8s.io/v1', 'Lease', [metadata('l'), [2, [[1, 'h'], [2, 40], [4, [[1, 1_700_000_000], [2, 123_000]]]]]])],
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [metadata('as.b.c'), [2, [[1, 'b.c'], [3, [[1, 'as'], [4, 'A']]], [4, 'Cluster'], [7, [[1, 'v1'], [2, 1], [3, 1], schema]]]]])],
];

const server = createTestApiServer({ clock: createVirtualClock(), random: () => 0.5 });

/** What the server answers to a creation without storing it, in JSON or in protobuf. */
async function create(path: string, body: Buffer, accept: string): Promise<{ status: number; content: Buffer }> {
  const headers = { 'content-type': protobuf, accept };
  const response = await server.handle({ method: 'POST', url: `${path}?dryRun=All`, body, headers });
  const pieces: Buffer[] = [];
  for await (const piece of typeof response.body === 'string' ? [response.body] : response.body) pieces.push(Buffer.from(piece));
  return { status: response.status, content: Buffer.concat(pieces) };
}

export const apiProtobuf = fuzzTarget({
  name: 'api-protobuf',
  promise: 'the test API server refuses a protobuf body with a Status, or creates an object that is the same after a way through protobuf',
  runs: 1_000,
  inputs: fc
    .constantFrom(...examples)
    .chain(([path, body]) => mutatedBytes(fc.constant(body)).map((bytes) => ({ path, body: toBase64(bytes) }))),
  async check({ path, body }) {
    const bytes = fromBase64(body);
    const { status, content } = await create(path, bytes, 'application/json');
    const object = JSON.parse(content.toString()) as Record<string, unknown>;
    promise(status === 201 || (status >= 400 && status < 500), `the status ${status}: ${content.toString().slice(0, 300)}`);
    if (status !== 201) {
      promise(object.kind === 'Status' && object.code === status && object.message !== '', 'a refusal without a Status');
      return;
    }
    promisePlain(object, 'the object');
    const encoded = await create(path, bytes, protobuf);
    promiseSame(encoded.status, 201, 'the status of the answer in protobuf');
    const again = await create(path, encoded.content, 'application/json');
    const { metadata: _first, ...first } = object;
    const { metadata: _second, ...second } = JSON.parse(again.content.toString()) as Record<string, unknown>;
    promiseSame(second, first, 'the object after a way through protobuf');
  },
});
