import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from '../../test-api-server.fixture.js';

const ranges = '/api/v1/namespaces/default/limitranges';

async function withLimits(...limits: object[]) {
  const set = setUp();
  const { body } = await set.call('POST', ranges, { metadata: { name: 'limits' }, spec: { limits } });
  const create = async (resources: object, name = 'web') =>
    (await set.call('POST', pods, pod(name, { containers: [{ name: 'main', image: 'nginx', resources }] }))).body;
  return { ...set, create, range: body };
}

const refusal = (why: string) => `pods "web" is forbidden: ${why}`;

describe('a LimitRange', () => {
  it('sets default requests and limits, and notes them', async () => {
    const { create } = await withLimits({ type: 'Container', default: { cpu: '500m', memory: '512Mi' }, defaultRequest: { cpu: '100m' } });
    const { spec, metadata, status } = await create({ limits: { memory: '1Gi' } });
    expect(spec.containers[0].resources).toEqual({
      limits: { cpu: '500m', memory: '1Gi' },
      requests: { cpu: '100m', memory: '1Gi' },
    });
    expect(metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container main; cpu limit for container main',
    });
    expect(status.qosClass).toBe('Burstable');
  });

  it('has defaults that follow from its maximum', async () => {
    const { range } = await withLimits({ type: 'Container', max: { cpu: '800m' }, min: { cpu: '100m' } });
    expect(range.spec.limits[0]).toMatchObject({ default: { cpu: '800m' }, defaultRequest: { cpu: '800m' } });
  });

  it.each([
    [
      'above the maximum',
      { max: { cpu: '800m' } },
      { limits: { cpu: '1500m' } },
      'maximum cpu usage per Container is 800m, but limit is 1500m',
    ],
    [
      'below the minimum',
      { min: { memory: '500Mi' } },
      { requests: { memory: '100Mi' } },
      'minimum memory usage per Container is 500Mi, but request is 100Mi',
    ],
    [
      'of a ratio that is too large',
      { maxLimitRequestRatio: { memory: 2 } },
      { requests: { memory: '1Gi' }, limits: { memory: '3Gi' } },
      'memory max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ],
  ])('refuses amounts %s', async (_what, item, resources, why) => {
    const { create } = await withLimits({ type: 'Container', ...item });
    expect((await create(resources)).message).toBe(refusal(why));
  });

  it('refuses pods as a whole, with each reason', async () => {
    const { create } = await withLimits({ type: 'Pod', max: { cpu: '1', memory: '1Gi' } });
    expect((await create({ limits: { cpu: '2' } })).message).toBe(
      refusal('[maximum cpu usage per Pod is 1, but limit is 2, maximum memory usage per Pod is 1Gi.  No limit is specified]'),
    );
  });

  it('limits the storage of claims', async () => {
    const { call } = await withLimits({ type: 'PersistentVolumeClaim', max: { storage: '2Gi' } });
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } };
    const { body } = await call('POST', '/api/v1/namespaces/default/persistentvolumeclaims', { metadata: { name: 'data' }, spec });
    expect(body.message).toBe(
      'persistentvolumeclaims "data" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
    );
  });

  it('is refused if it contradicts itself', async () => {
    const { range } = await withLimits({ type: 'Container', min: { cpu: 2 }, max: { cpu: 1 } }, { type: 'Pod', default: { cpu: 1 } });
    expect(range.message).toContain('spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1');
    expect(range.message).toContain("spec.limits[1].default: Forbidden: may not be specified when `type` is 'Pod'");
  });
});
