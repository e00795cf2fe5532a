import type { Pod, PodSpec, Volume } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { applyApiDefaults } from './defaults.js';
import { defaultPullPolicy } from './pull-policy.js';

function defaulted(spec: Partial<PodSpec>): PodSpec {
  const pod: Pod = { spec: { containers: [], ...structuredClone(spec) } };
  applyApiDefaults(pod);
  return pod.spec ?? { containers: [] };
}

describe('applyApiDefaults', () => {
  it('keeps what is given', () => {
    const given: Partial<PodSpec> = {
      restartPolicy: 'Never',
      dnsPolicy: 'Default',
      schedulerName: 'mine',
      terminationGracePeriodSeconds: 0,
      enableServiceLinks: false,
      securityContext: { runAsUser: 1 },
    };
    expect(defaulted(given)).toEqual({ containers: [], ...given });
  });

  it('takes requests from limits, and rounds amounts up to thousandths', () => {
    const { containers } = defaulted({
      containers: [{ name: 'c', resources: { limits: { cpu: '100u', memory: '1Gi' }, requests: { memory: '1Mi' } } }],
      initContainers: [{ name: 'i', resources: { limits: { cpu: '1' } } }],
    });
    expect(containers[0]?.resources).toEqual({ limits: { cpu: '1m', memory: '1Gi' }, requests: { cpu: '1m', memory: '1Mi' } });
  });

  it('gives ports on the host network their own number', () => {
    const ports = [{ containerPort: 80 }];
    expect(defaulted({ hostNetwork: true, containers: [{ name: 'c', ports }] }).containers[0]?.ports).toEqual([
      { containerPort: 80, hostPort: 80, protocol: 'TCP' },
    ]);
    expect(defaulted({ containers: [{ name: 'c', ports }] }).containers[0]?.ports).toEqual([{ containerPort: 80, protocol: 'TCP' }]);
  });

  it('fills in probes and hooks', () => {
    const [container] = defaulted({
      containers: [
        {
          name: 'c',
          startupProbe: { httpGet: { port: 1 }, periodSeconds: 0 },
          livenessProbe: { grpc: { port: 2 } },
          lifecycle: { preStop: { httpGet: { port: 3 } } },
        },
      ],
    }).containers;
    const times = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
    expect(container?.startupProbe).toEqual({ httpGet: { port: 1, path: '/', scheme: 'HTTP' }, ...times });
    expect(container?.livenessProbe).toEqual({ grpc: { port: 2, service: '' }, ...times });
    expect(container?.lifecycle?.preStop?.httpGet).toEqual({ port: 3, path: '/', scheme: 'HTTP' });
  });

  it('fills in the versions of field references', () => {
    const fieldRef = { fieldPath: 'metadata.name' };
    const spec = defaulted({ containers: [{ name: 'c', env: [{ name: 'A', valueFrom: { fieldRef } }] }] });
    expect(spec.containers[0]?.env?.[0]?.valueFrom?.fieldRef).toEqual({ apiVersion: 'v1', fieldPath: 'metadata.name' });
  });

  it.each<[string, Omit<Volume, 'name'>, Omit<Volume, 'name'>]>([
    ['no source', {}, { emptyDir: {} }],
    ['a host path', { hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
    ['a config map', { configMap: { name: 'x' } }, { configMap: { name: 'x', defaultMode: 0o644 } }],
    [
      'a token',
      { projected: { defaultMode: 0o400, sources: [{ serviceAccountToken: { path: 't' } }] } },
      { projected: { defaultMode: 0o400, sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 3600 } }] } },
    ],
    ['an image', { image: { reference: 'x' } }, { image: { reference: 'x', pullPolicy: 'Always' } }],
  ])('fills in a volume: %s', (_, given, expected) => {
    expect(defaulted({ volumes: [{ name: 'v', ...given }] }).volumes).toEqual([{ name: 'v', ...expected }]);
  });

  it('takes the requests of a pod from its containers, then from its limits', () => {
    const spec = defaulted({
      containers: [
        { name: 'c', resources: { requests: { cpu: '100m' } } },
        { name: 'd', resources: { requests: { cpu: '200m' } } },
      ],
      resources: { limits: { cpu: '1', memory: '1Gi' } },
    });
    expect(spec.resources?.requests).toEqual({ cpu: '300m', memory: '1Gi' });
    expect(defaulted({ resources: { requests: { cpu: '1' } } }).resources).toEqual({ requests: { cpu: '1' } });
  });

  it('takes the service account from its old name', () => {
    expect(defaulted({ serviceAccount: 'x' }).serviceAccountName).toBe('x');
    expect(defaulted({})).not.toHaveProperty('serviceAccountName');
  });
});

describe('defaultPullPolicy', () => {
  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['host:5000/nginx', 'Always'],
    ['host:5000/nginx:1', 'IfNotPresent'],
    ['nginx@sha256:00', 'IfNotPresent'],
    ['nginx:latest@sha256:00', 'Always'],
    ['nginx:1@sha256:00', 'IfNotPresent'],
  ])('%s: %s', (image, policy) => {
    expect(defaultPullPolicy(image)).toBe(policy);
  });
});
