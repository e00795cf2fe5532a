import { describe, expect, it } from 'vitest';
import { decodeManifest } from './decode-manifest.js';

const decode = (text: string, localObjects = true) =>
  decodeManifest(text, { source: 'file', file: 'web.yaml', nodeName: 'n1' }, { localObjects });
const pod = (name: string, extra = '') => `apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  containers: [{name: main, image: "nginx:1"${extra}}]
`;
const deployment = (spec: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {${spec}}
`;
const template = 'template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: "nginx:1"}]}}';
const names = async (text: string) => (await decode(text)).map(({ pod: found, error }) => found?.metadata?.name ?? error?.message);

describe('a manifest of a standalone agent', () => {
  it('may have ConfigMaps and Secrets, as the API server stores them', async () => {
    const documents = await decode(`apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {level: debug}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: shop}
data: {user: bWU=}
stringData: {password: "é"}
`);
    expect(documents.map(({ object }) => object)).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' }, data: { level: 'debug' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: 'shop' }, data: { user: 'bWU=', password: 'w6k=' } },
    ]);
  });

  it('may have pods that refer to them', async () => {
    const text = pod('web', ', envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: login}}]');
    expect((await decode(text))[0]?.pod?.spec?.containers?.[0]?.envFrom).toHaveLength(2);
    expect((await decode(text, false))[0]?.error?.message).toContain('static pods may not reference secrets');
    const account = `${pod('web')}  serviceAccountName: me\n`;
    expect((await decode(account))[0]?.error?.message).toContain('static pods may not reference serviceaccounts');
  });

  it('may be a List of all of them', async () => {
    const items = [JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } })];
    const podItem = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'm', image: 'i' }] } };
    const documents = await decode(`{"apiVersion": "v1", "kind": "List", "items": [${[...items, JSON.stringify(podItem)]}]}`);
    expect(documents.map((each) => each.object?.kind ?? each.pod?.metadata?.name)).toEqual(['ConfigMap', 'a-n1']);
  });

  it('may have a Deployment, whose pods run on the node, with a note', async () => {
    const [first, second, ...others] = await decode(deployment(`replicas: 2, ${template}`));
    expect(others).toEqual([]);
    expect(first?.pod?.metadata).toMatchObject({ name: 'web-0-n1', namespace: 'shop', labels: { app: 'web' } });
    expect(second?.pod?.metadata?.name).toBe('web-1-n1');
    expect([first?.warnings, second?.warnings]).toEqual([
      ['web.yaml: the Deployment web runs all replicas (2) on this node; a changed template replaces all pods at once'],
      [],
    ]);
  });

  it.each([
    [deployment(template), ['web-0-n1']],
    [deployment(`replicas: 0, ${template}`), []],
    [deployment(`replicas: 1000000000, ${template}`), ['web.yaml: spec.replicas: must be a whole number from 0 to 500']],
    [deployment('replicas: 1'), ['web.yaml: spec.template: Required value']],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {}', ['web.yaml: metadata.name: Required value']],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {port: 80}', ['web.yaml: data[port]: must be text']],
    // The value of a Secret is in no message.
    ['apiVersion: v1\nkind: Secret\nmetadata: {name: c}\ndata: {pin: 1234}', ['web.yaml: data[pin]: must be text']],
    ['apiVersion: v1\nkind: Secret\nmetadata: {name: c}\ndata: {pin: "p!n"}', ['web.yaml: data[pin]: must be base64']],
    ['apiVersion: v1\nkind: Service\nmetadata: {name: c}', ['web.yaml: kind: "Service" cannot be run from a manifest, only "Pod" can']],
  ])('%j has %j', async (text, expected) => {
    expect(await names(text)).toEqual(expected);
  });
});
