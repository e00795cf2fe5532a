import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from '../test-api-server.fixture.js';

const nodes = '/api/v1/nodes';
const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

describe('the options of admission plugins', () => {
  it('enable plugins that are off by default', async () => {
    const { call } = setUp({ enableAdmissionPlugins: ['TaintNodesByCondition', 'StorageObjectInUseProtection'] });
    expect((await call('POST', nodes, { metadata: { name: 'n1' } })).body.spec.taints).toEqual([
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ]);
    expect((await call('POST', claims, claim)).body.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
  });

  it('protect claims in use until their pod is deleted', async () => {
    const { call, server } = setUp({ enableAdmissionPlugins: ['StorageObjectInUseProtection'] });
    await call('POST', claims, claim);
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    await call('POST', pods, pod('web', { nodeName: 'n1', volumes }));
    await call('DELETE', `${claims}/data`);
    expect(server.objects.get('persistentvolumeclaims', 'data')?.metadata?.deletionTimestamp).toBeDefined();
    server.objects.delete('pods', 'web', { gracePeriodSeconds: 0 });
    expect(server.objects.get('persistentvolumeclaims', 'data')).toBeUndefined();
  });

  it('disable plugins that are on by default', async () => {
    const { call } = setUp({ disableAdmissionPlugins: ['ServiceAccount', 'DefaultTolerationSeconds', 'Priority'] });
    const { spec } = (await call('POST', pods, pod('web', { serviceAccountName: 'missing' }))).body;
    expect(spec.tolerations).toBeUndefined();
    expect(spec.priority).toBeUndefined();
    expect((await setUp().call('POST', pods, pod('web', { serviceAccountName: 'missing' }))).status).toBe(403);
  });

  it('refuse unknown names', () => {
    expect(() => setUp({ disableAdmissionPlugins: ['Quota'] })).toThrow('disableAdmissionPlugins');
  });
});

describe('PersistentVolumeClaimResize', () => {
  const grown = { spec: { resources: { requests: { storage: '2Gi' } } } };
  const bound = { status: { phase: 'Bound' } };

  it('lets bound claims grow if their StorageClass allows it', async () => {
    const { call, patch, server } = setUp();
    const storage = (name: string, allowVolumeExpansion: boolean) =>
      server.objects.create({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name },
        provisioner: 'p',
        allowVolumeExpansion,
      });
    storage('fixed', false);
    storage('growing', true);
    for (const storageClassName of ['fixed', 'growing']) {
      const metadata = { name: storageClassName };
      await call('POST', claims, { metadata, spec: { ...claim.spec, storageClassName } });
    }
    const unbound = await patch(`${claims}/growing`, grown);
    expect(unbound.body.message).toContain('Only bound persistent volume claims can be expanded');
    for (const name of ['fixed', 'growing']) await patch(`${claims}/${name}/status`, bound);
    expect((await patch(`${claims}/growing`, grown)).status).toBe(200);
    expect((await patch(`${claims}/fixed`, grown)).body.message).toContain('the storageclass that provisions the pvc must support resize');
  });
});

describe('certificate plugins', () => {
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const request = { metadata: { name: 'r' }, spec: { request: 'x', signerName: 'example.com/mine', usages: ['client auth'] } };
  const approved = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };

  it('let only those approve and sign who may do so for the signer', async () => {
    const denied = new Set<string>();
    const { call, patch } = setUp({ authorizer: ({ verb, resource }) => ({ allowed: resource !== 'signers' || !denied.has(verb) }) });
    await call('POST', requests, request);
    denied.add('approve').add('sign');
    expect((await patch(`${requests}/r/approval`, approved)).body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "example.com/mine"',
    );
    expect((await patch(`${requests}/r/status`, { status: { certificate: 'YQ==' } })).body.message).toContain('user not permitted to sign');
    denied.clear();
    expect((await patch(`${requests}/r/approval`, approved)).status).toBe(200);
  });

  it('let an approval change the metadata too, but not the request', async () => {
    const { call, patch } = setUp();
    await call('POST', requests, request);
    const change = {
      metadata: { annotations: { by: 'me' } },
      spec: { request: 'eQ==' },
      status: { ...approved.status, certificate: 'YQ==' },
    };
    const { body } = await patch(`${requests}/r/approval`, change);
    expect(body).toMatchObject({ metadata: { annotations: { by: 'me' } }, spec: { request: 'x' }, status: approved.status });
    expect(body.status.certificate).toBeUndefined();
  });
});

describe('PriorityClasses', () => {
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const create = (name: string, value: number, more: object = {}) => ({ metadata: { name }, value, ...more });

  it('give pods their priority and preemption policy', async () => {
    const { call } = setUp();
    await call('POST', classes, create('low', 1, { globalDefault: true }));
    await call('POST', classes, create('calm', 5, { preemptionPolicy: 'Never' }));
    expect((await call('POST', pods, pod('a'))).body.spec).toMatchObject({ priorityClassName: 'low', priority: 1 });
    const { spec } = (await call('POST', pods, pod('b', { priorityClassName: 'calm' }))).body;
    expect(spec).toMatchObject({ priority: 5, preemptionPolicy: 'Never' });
    expect((await call('POST', pods, pod('c', { priorityClassName: 'calm', priority: 7 }))).status).toBe(403);
  });

  it('are refused if they are a second default, reserved or too high, and do not change', async () => {
    const { call, patch } = setUp();
    await call('POST', classes, create('low', 1, { globalDefault: true }));
    expect((await call('POST', classes, create('two', 1, { globalDefault: true }))).body.message).toContain(
      'low is already marked as default',
    );
    expect((await call('POST', classes, create('system-mine', 1))).body.message).toContain('are reserved for system use only');
    expect((await call('POST', classes, create('high', 1_000_000_001))).body.message).toContain(
      'maximum allowed value of a user defined priority',
    );
    expect((await patch(`${classes}/low`, { value: 2 })).body.message).toContain('value: Forbidden: may not be changed in an update.');
  });
});
