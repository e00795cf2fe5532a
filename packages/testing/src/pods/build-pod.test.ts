import { describe, expect, it } from 'vitest';
import { buildPod } from './build-pod.js';

describe('buildPod', () => {
  it('builds a complete pod from a name', () => {
    const pod = buildPod({ name: 'web' });
    expect(pod.metadata).toMatchObject({ name: 'web', namespace: 'default', generation: 1 });
    expect(pod.metadata?.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(pod.spec).toMatchObject({
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
    });
    expect(pod.spec?.containers).toEqual([
      {
        name: 'main',
        image: 'busybox:1',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ]);
    expect(pod.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('accepts every field and short forms of containers', () => {
    const pod = buildPod({
      name: 'web',
      namespace: 'shop',
      labels: { app: 'web' },
      metadata: { deletionGracePeriodSeconds: 5 },
      restartPolicy: 'Never',
      hostNetwork: true,
      initContainers: ['setup:1', { restartPolicy: 'Always', image: 'proxy' }],
      containers: ['nginx', { name: 'db', image: 'db@sha256:0', ports: [{ containerPort: 1 }], readinessProbe: { httpGet: { port: 80 } } }],
      ephemeralContainers: [{ name: 'debug', targetContainerName: 'db' }],
      status: { phase: 'Running' },
    });
    expect(pod.metadata).toMatchObject({ namespace: 'shop', labels: { app: 'web' }, deletionGracePeriodSeconds: 5 });
    expect(pod.spec).toMatchObject({ restartPolicy: 'Never', hostNetwork: true });
    expect(pod.spec?.initContainers).toMatchObject([
      { name: 'init1' },
      { name: 'init2', restartPolicy: 'Always', imagePullPolicy: 'Always' },
    ]);
    expect(pod.spec?.containers).toMatchObject([
      { name: 'main', imagePullPolicy: 'Always' },
      {
        name: 'db',
        imagePullPolicy: 'IfNotPresent',
        ports: [{ containerPort: 1, protocol: 'TCP' }],
        readinessProbe: { httpGet: { port: 80, path: '/', scheme: 'HTTP' }, periodSeconds: 10, failureThreshold: 3 },
      },
    ]);
    expect(pod.spec?.ephemeralContainers).toMatchObject([{ name: 'debug', targetContainerName: 'db' }]);
    expect(pod.status).toEqual({ phase: 'Running' });
  });

  it('fills requests from limits, as the API server does', () => {
    const pod = buildPod({ name: 'p', containers: [{ resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } } }] });
    expect(pod.spec?.containers[0]?.resources).toEqual({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } });
    expect(pod.status?.qosClass).toBe('Burstable');
  });

  it('is deterministic and gives different pods different UIDs', () => {
    expect(buildPod({ name: 'a' })).toEqual(buildPod({ name: 'a' }));
    expect(buildPod({ name: 'a' }).metadata?.uid).not.toBe(buildPod({ name: 'a', namespace: 'other' }).metadata?.uid);
    expect(buildPod({ name: 'a', uid: 'mine' }).metadata?.uid).toBe('mine');
  });
});
