import { systemClock, systemRandom } from '@nodeagent/api';
import { encodeBase64, encodeUtf8 } from '@nodeagent/api/helpers';
import fc from 'fast-check';
import { apiServer, askApi } from '../generate/api-request.js';
import { type Json, jsonText, mutatedJson } from '../generate/json.js';
import { mutatedText } from '../generate/text.js';
import { promise, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const review = 'admission.k8s.io/v1';
const conversion = 'apiextensions.k8s.io/v1';
const patch = (operations: Json) => encodeBase64(encodeUtf8(JSON.stringify(operations)));
/** In place of the UID of the request. */
const uid = 'UID';

const admissions: Json[] = [
  { apiVersion: review, kind: 'AdmissionReview', response: { uid, allowed: true, warnings: ['careful'], auditAnnotations: { a: 'b' } } },
  {
    apiVersion: review,
    kind: 'AdmissionReview',
    response: { uid, allowed: false, status: { code: 403, message: 'no', reason: 'Forbidden' } },
  },
  {
    apiVersion: review,
    kind: 'AdmissionReview',
    response: { uid, allowed: true, patchType: 'JSONPatch', patch: patch([{ op: 'add', path: '/spec/b', value: 1 }]) },
  },
];
const converted = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { a: 1 } };
const conversions: Json[] = [
  { apiVersion: conversion, kind: 'ConversionReview', response: { uid, result: { status: 'Success' }, convertedObjects: [converted] } },
  { apiVersion: conversion, kind: 'ConversionReview', response: { uid, result: { status: 'Failure', message: 'cannot' } } },
];

const answers = (examples: readonly Json[]) => {
  const text = mutatedJson(examples).map((value) => jsonText(value));
  return fc.oneof(text, mutatedText(text, fc.constantFrom('{', '}', '"uid":', 'null', '\0', '[', '1e400'), 3));
};

let answer = { status: 200, body: '' };
const server = apiServer({
  clock: systemClock,
  random: systemRandom,
  async webhooks({ body }) {
    const asked = (JSON.parse(String(body)) as { request: { uid: string } }).request.uid;
    return { status: answer.status, body: answer.body.replaceAll(`"${uid}"`, `"${asked}"`) };
  },
});

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const clientConfig = { service: { namespace: 'default', name: 'hooks' } };
server.objects.create({
  apiVersion: conversion,
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    versions: [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ],
  },
});
for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']) {
  const rules = [{ apiGroups: ['example.com'], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE'] }];
  server.objects.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'hooks' },
    webhooks: [{ name: 'hooks.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] }],
  });
}
server.checkpoint();

export const apiWebhooks = fuzzTarget({
  name: 'api-webhooks',
  promise: 'whatever a webhook answers, the test API server admits or converts the object, or refuses the request with a Status',
  runs: 500,
  inputs: fc.record({
    version: fc.constantFrom('v1', 'v2'),
    status: fc.constantFrom(200, 200, 200, 200, 204, 302, 404, 500),
    admission: answers(admissions),
    conversion: answers(conversions),
  }),
  async check({ version, status, admission, conversion: convertedText }) {
    server.reset();
    answer = { status, body: version === 'v1' ? admission : convertedText };
    const body = JSON.stringify({ ...converted, apiVersion: `example.com/${version}` });
    const request = { method: 'POST', url: `/apis/example.com/${version}/widgets`, body, headers: { 'content-type': 'application/json' } };
    const created = await askApi(server, request, () => true);
    // A webhook that fails is 500 with its name, as in a cluster; so is one that asks for conversions without an end.
    if (created.status >= 500) {
      promise(/webhook|changed too often/i.test(created.object.message ?? ''), `the message ${created.object.message}`);
    }
    const list = await askApi(server, { method: 'GET', url: '/apis/example.com/v1/widgets' });
    const count = (list.object.items as unknown[]).length;
    if (version === 'v1') promiseSame(count, created.status === 201 ? 1 : 0, 'the number of objects');
  },
});
