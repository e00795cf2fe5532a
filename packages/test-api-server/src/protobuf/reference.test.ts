import { describe, expect, it } from 'vitest';
import { decodeObject, encodeObject } from './codec.js';
import { referenceEnvelope, referenceOpen } from './reference.fixture.js';

const seconds = Date.parse('2026-04-22T10:11:12Z') / 1000;

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    uid: 'ü'.repeat(100),
    generation: 2 ** 40,
    creationTimestamp: '2026-04-22T10:11:12Z',
    deletionGracePeriodSeconds: 0,
    labels: { app: 'web', '': 'empty' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true }],
    managedFields: [
      { manager: 'm', operation: 'Update', time: '2026-04-22T10:11:12Z', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': { '.': {} } } },
    ],
  },
  spec: {
    volumes: [
      { name: 'data', emptyDir: { sizeLimit: '1Gi' } },
      { name: 'none', emptyDir: {} },
    ],
    containers: [
      {
        name: 'main',
        image: 'nginx:1',
        args: ['', '--x'],
        ports: [{ containerPort: 65535, protocol: 'TCP' }],
        resources: { limits: { cpu: '100m' }, requests: { cpu: 1 } },
        livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
        tty: true,
      },
    ],
    ephemeralContainers: [{ name: 'debug', image: 'busybox', targetContainerName: 'main' }],
    nodeSelector: { a: 'b' },
    priority: -10,
    terminationGracePeriodSeconds: 30,
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: null }] },
};

describe('an independent decoder', () => {
  it('reads a pod', () => {
    const fieldsV1 = { Raw: Buffer.from('{"f:spec":{".":{}}}').toString('base64') };
    expect(referenceOpen(encodeObject(pod))).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      object: {
        metadata: {
          ...pod.metadata,
          creationTimestamp: { seconds },
          managedFields: [{ manager: 'm', operation: 'Update', time: { seconds }, fieldsType: 'FieldsV1', fieldsV1 }],
        },
        spec: {
          ...pod.spec,
          volumes: [
            { name: 'data', volumeSource: { emptyDir: { sizeLimit: { string: '1Gi' } } } },
            { name: 'none', volumeSource: { emptyDir: {} } },
          ],
          containers: [
            {
              ...pod.spec.containers[0],
              resources: { limits: { cpu: { string: '100m' } }, requests: { cpu: { string: '1' } } },
              livenessProbe: { handler: { httpGet: { path: '/', port: { type: 1, strVal: 'http' } } }, periodSeconds: 5 },
            },
          ],
          ephemeralContainers: [{ ephemeralContainerCommon: { name: 'debug', image: 'busybox' }, targetContainerName: 'main' }],
        },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      },
    });
  });

  it('reads times with microseconds, bytes, lists in maps and values of any type', () => {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      spec: { renewTime: '2026-04-22T10:11:12.000345Z', leaseDurationSeconds: 40 },
    };
    expect(referenceOpen(encodeObject(lease)).object).toEqual({
      spec: { renewTime: { seconds, nanos: 345_000 }, leaseDurationSeconds: 40 },
    });
    const spec = { request: 'AQID', extra: { a: ['x', 'y'], b: [] }, usages: ['client auth'], signerName: 's' };
    const request = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', spec };
    expect(referenceOpen(encodeObject(request)).object).toEqual({ spec: { ...spec, extra: { a: { items: ['x', 'y'] }, b: {} } } });
  });

  it('reads schemas', () => {
    const schema = {
      $schema: 's',
      type: 'object',
      default: { a: [0] },
      maximum: 1.5,
      enum: ['a', 0, false],
      items: { type: 'string' },
      additionalProperties: false,
      properties: { a: { additionalProperties: { type: 'integer' }, items: [{ type: 'x' }, {}] } },
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: {},
      spec: { group: 'g', scope: 'Cluster', versions: [{ name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: schema } }] },
    };
    const raw = (value: unknown) => ({ raw: Buffer.from(JSON.stringify(value)).toString('base64') });
    const { object } = referenceOpen(encodeObject(definition));
    expect((object.spec as { versions: { schema: object }[] }).versions[0]?.schema).toEqual({
      openAPIV3Schema: {
        schema: 's',
        type: 'object',
        default: raw({ a: [0] }),
        maximum: 1.5,
        enum: [raw('a'), raw(0), raw(false)],
        items: { schema: { type: 'string' } },
        additionalProperties: { allows: false },
        properties: {
          a: { additionalProperties: { allows: true, schema: { type: 'integer' } }, items: { jSONSchemas: [{ type: 'x' }, {}] } },
        },
        xKubernetesPreserveUnknownFields: true,
      },
    });
    expect(decodeObject(encodeObject(definition))).toMatchObject({ spec: definition.spec });
  });
});

describe('an object of an independent encoder', () => {
  it('is read', () => {
    const bytes = referenceEnvelope('v1', 'Pod', {
      metadata: { name: 'web', creationTimestamp: {}, deletionTimestamp: { seconds }, labels: { a: 'b' } },
      spec: {
        volumes: [{ name: 'data', volumeSource: { emptyDir: { sizeLimit: { string: '1Gi' } } } }],
        containers: [
          { name: 'main', livenessProbe: { handler: { httpGet: { port: { type: 0, intVal: 80 } } }, initialDelaySeconds: 0 }, tty: false },
        ],
        ephemeralContainers: [{ ephemeralContainerCommon: { name: 'debug' }, targetContainerName: 'main' }],
        priority: 0,
        nodeName: '',
      },
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: { seconds } }] },
    });
    expect(decodeObject(bytes)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', deletionTimestamp: '2026-04-22T10:11:12Z', labels: { a: 'b' } },
      spec: {
        volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Gi' } }],
        containers: [{ name: 'main', resources: {}, livenessProbe: { httpGet: { port: 80 } } }],
        ephemeralContainers: [{ name: 'debug', targetContainerName: 'main', resources: {} }],
        priority: 0,
      },
      status: { conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2026-04-22T10:11:12Z' }] },
    });
  });
});
