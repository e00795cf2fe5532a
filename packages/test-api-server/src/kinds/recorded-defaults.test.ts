import { expect, it } from 'vitest';
import { createTestApiServer } from '../test-api-server.js';

const template = (more: object = {}) => ({
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'a', image: 'a:1', resources: { limits: { cpu: '1' } } }], ...more },
});
const selector = { matchLabels: { app: 'a' } };

interface Stored {
  apiVersion: string;
  kind: string;
  metadata: { name: string; generation?: number; labels?: Record<string, string>; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the specs of all kinds
  spec?: any;
}

function stored(apiVersion: string, kind: string, spec: object) {
  const server = createTestApiServer();
  const { objects } = server;
  const resource = `${kind.toLowerCase()}s`;
  objects.create<Stored>({ apiVersion, kind, metadata: { name: 'a' }, spec });
  const change = (by: (object: Stored) => void, subresource?: string) =>
    objects.update<Stored>(resource, 'a', by, subresource === undefined ? {} : { subresource });
  return { server, change, get: () => objects.get<Stored>(resource, 'a') as Stored };
}

it('leaves to pods what a template does not set', () => {
  const { get } = stored('apps/v1', 'Deployment', { selector, template: template() });
  expect(get().spec.template.spec).not.toHaveProperty('enableServiceLinks');
  expect(get().spec.template.spec.containers[0].resources).toEqual({ limits: { cpu: '1' } });
});

it('counts changes of the annotations of a Deployment, except for those with its status', () => {
  const { get, change } = stored('apps/v1', 'Deployment', { selector, template: template() });
  const annotate = (key: string) => (object: Stored) => {
    object.metadata.annotations = { ...object.metadata.annotations, [key]: 'x' };
  };
  change(annotate('one'));
  change(annotate('two'), 'status');
  expect(get().metadata).toMatchObject({ generation: 2, annotations: { one: 'x', two: 'x' } });
});

it('drops zeros of a spec', () => {
  const { get } = stored('apps/v1', 'Deployment', { selector, paused: false, minReadySeconds: 0, template: template() });
  expect(Object.keys(get().spec)).not.toEqual(expect.arrayContaining(['paused']));
  expect(get().spec).not.toHaveProperty('minReadySeconds');
});

it('gives a Job the labels of its template', () => {
  const { get } = stored('batch/v1', 'Job', { template: template({ restartPolicy: 'Never' }) });
  expect(get().metadata.labels).toMatchObject({ app: 'a', 'batch.kubernetes.io/job-name': 'a' });
  expect(get().spec.manualSelector).toBe(false);
});

it('resizes an indexed Job with as many completions as pods', () => {
  const size = { completionMode: 'Indexed', completions: 2, parallelism: 2 };
  const { change } = stored('batch/v1', 'Job', { ...size, template: template({ restartPolicy: 'Never' }) });
  change(({ spec }) => Object.assign(spec, { completions: 3, parallelism: 3 }));
  expect(() => change(({ spec }) => Object.assign(spec, { completions: 4 }))).toThrow('field is immutable');
});

it('counts the changes of the template of a DaemonSet', () => {
  const { get, change } = stored('apps/v1', 'DaemonSet', { selector, updateStrategy: { type: 'OnDelete' }, template: template() });
  change(({ spec }) => Object.assign(spec, { minReadySeconds: 1 }));
  expect(get().metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' });
  change(({ spec }) => Object.assign(spec.template.spec.containers[0], { image: 'a:2' }));
  expect(get().metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '2' });
  expect(get().spec.updateStrategy).toEqual({ type: 'OnDelete' });
});

it('completes the claims of a StatefulSet', () => {
  const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
  const { get } = stored('apps/v1', 'StatefulSet', { selector, serviceName: 'a', template: template(), volumeClaimTemplates: [claim] });
  expect(get().spec).toMatchObject({
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    volumeClaimTemplates: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', spec: { volumeMode: 'Filesystem' } }],
  });
});

it('labels the pods of a node with its zone, without counting the binding', async () => {
  const server = createTestApiServer();
  const zone = { 'topology.kubernetes.io/zone': 'z' };
  server.objects.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels: zone } });
  const spec = { containers: [{ name: 'a', image: 'a:1' }] };
  server.objects.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'fixed' }, spec: { ...spec, nodeName: 'n' } });
  server.objects.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bound' }, spec });
  const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'bound' }, target: { kind: 'Node', name: 'n' } };
  await server.handle({ method: 'POST', url: '/api/v1/namespaces/default/pods/bound/binding', body });
  for (const name of ['fixed', 'bound']) {
    expect(server.objects.get('pods', name)?.metadata).toMatchObject({ labels: zone, generation: 1 });
  }
});
