import { describe, expect, it } from 'vitest';
import { pod, setUp } from '../../test-api-server.fixture.js';

const pods = '/api/v1/namespaces/secure/pods';
const prefix = 'pod-security.kubernetes.io/';

async function namespace(labels: Record<string, string>) {
  const set = setUp();
  const prefixed = Object.fromEntries(Object.entries(labels).map(([key, value]) => [prefix + key, value]));
  const created = await set.call('POST', '/api/v1/namespaces', { metadata: { name: 'secure', labels: prefixed } });
  const create = (spec: object = {}) => set.call('POST', pods, pod('web', spec as Record<string, unknown>));
  return { ...set, created, create };
}

const container = (securityContext: object, more: object = {}) => ({
  containers: [{ name: 'main', image: 'nginx', securityContext, ...more }],
});

const strict = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  ...container({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }),
};

describe('Pod Security', () => {
  it('refuses pods that break the restricted level, with each reason', async () => {
    const { create } = await namespace({ enforce: 'restricted' });
    expect((await create()).body.message).toBe(
      'pods "web" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "main" must set ' +
        'securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "main" must set ' +
        'securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "main" must set ' +
        'securityContext.runAsNonRoot=true), seccompProfile (pod or container "main" must set securityContext.seccompProfile.type to ' +
        '"RuntimeDefault" or "Localhost")',
    );
    expect((await create(strict)).status).toBe(201);
  });

  it.each([
    [container({ privileged: true }), 'privileged (container "main" must not set securityContext.privileged=true)'],
    [{ hostNetwork: true, hostPID: true }, 'host namespaces (hostNetwork=true, hostPID=true)'],
    [{ volumes: [{ name: 'v', hostPath: { path: '/etc' } }] }, 'hostPath volumes (volume "v")'],
    [container({}, { ports: [{ containerPort: 80, hostPort: 8080 }] }), 'hostPort (container "main" uses hostPort 8080)'],
    [
      container({ capabilities: { add: ['NET_ADMIN', 'CHOWN'] } }),
      'non-default capabilities (container "main" must not include "NET_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      container({ seLinuxOptions: { type: 'spc_t', user: 'root' } }),
      'seLinuxOptions (container "main" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    ],
    [
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [{ securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }, 'forbidden sysctl (kernel.msgmax)'],
    [
      { securityContext: { appArmorProfile: { type: 'Unconfined' } } },
      'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
    ],
    [
      container({}, { livenessProbe: { httpGet: { port: 80, host: '10.0.0.1' } } }),
      'probe or lifecycle host (container "main" uses probe or lifecycle host "10.0.0.1")',
    ],
  ])('refuses a pod with %j at the baseline level', async (spec, why) => {
    const { create } = await namespace({ enforce: 'baseline' });
    expect((await create(spec)).body.message).toBe(`pods "web" is forbidden: violates PodSecurity "baseline:latest": ${why}`);
  });

  it('knows the rules of earlier versions', async () => {
    const { create } = await namespace({ enforce: 'restricted', 'enforce-version': 'v1.7' });
    const { message } = (await create()).body;
    expect(message).toContain('"restricted:v1.7": runAsNonRoot != true');
    expect(message).not.toContain('capabilities');
  });

  it('warns of pods and templates', async () => {
    const { create, call } = await namespace({ warn: 'baseline' });
    const warning = '299 - "would violate PodSecurity \\"baseline:latest\\": host namespaces (hostPID=true)"';
    expect((await create({ hostPID: true })).headers.warning).toBe(warning);
    const template = { metadata: { labels: { a: 'b' } }, spec: pod('', { hostPID: true }).spec };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    const deployment = await call('POST', '/apis/apps/v1/namespaces/secure/deployments', { metadata: { name: 'web' }, spec });
    expect([deployment.status, deployment.headers.warning]).toEqual([201, warning]);
  });

  it('warns of the pods that break a new level of their namespace', async () => {
    const { create, patch } = await namespace({});
    await create({ hostPID: true });
    const { headers } = await patch('/api/v1/namespaces/secure', { metadata: { labels: { [`${prefix}enforce`]: 'baseline' } } });
    expect(headers.warning).toContain(
      'existing pods in namespace \\"secure\\" violate the new PodSecurity enforce level \\"baseline:latest\\"',
    );
    expect(headers.warning).toContain('299 - "web: host namespaces"');
  });

  it('refuses unknown levels', async () => {
    const { created } = await namespace({ enforce: 'high', 'warn-version': '1.30' });
    expect(created.status).toBe(422);
    expect(created.body.message).toContain(
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "high": must be one of privileged, baseline, restricted',
    );
  });
});
