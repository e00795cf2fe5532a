import { describe, expect, it } from 'vitest';
import { decodeManifest } from './decode-manifest.js';

const file = '/etc/kubernetes/manifests/a.yaml';
const origin = { source: 'file', file, nodeName: 'node-1' } as const;
const decode = (text: string) => decodeManifest(text, origin);

const web = `apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: nginx
`;

/** The error of the only document. */
async function errorOf(text: string) {
  const documents = await decode(text);
  expect(documents).toHaveLength(1);
  return documents[0]?.error;
}

describe('decodeManifest', () => {
  it('makes a static pod of a manifest', async () => {
    const [document] = await decode(web);
    expect(document?.error).toBeUndefined();
    const uid = document?.pod?.metadata?.uid;
    expect(uid).toMatch(/^[0-9a-f]{32}$/);
    expect(document?.warnings).toEqual([]);
    expect(document?.pod).toEqual({
      metadata: { name: 'web-node-1', namespace: 'default', uid, annotations: { 'kubernetes.io/config.hash': uid } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'nginx',
            imagePullPolicy: 'Always',
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
            resources: {},
          },
        ],
        restartPolicy: 'Always',
        dnsPolicy: 'ClusterFirst',
        schedulerName: 'default-scheduler',
        terminationGracePeriodSeconds: 30,
        enableServiceLinks: true,
        securityContext: {},
        nodeName: 'node-1',
        tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
      },
      status: { phase: 'Pending' },
    });
  });

  it('takes a control plane manifest as kubeadm writes it, without a word', async () => {
    const [document] = await decode(`apiVersion: v1
kind: Pod
metadata:
  annotations:
    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 10.0.0.1:6443
  creationTimestamp: null
  labels:
    component: kube-apiserver
  name: kube-apiserver
  namespace: kube-system
spec:
  containers:
  - command:
    - kube-apiserver
    - --advertise-address=10.0.0.1
    image: registry.k8s.io/kube-apiserver:v1.36.0
    livenessProbe:
      failureThreshold: 8
      httpGet:
        host: 10.0.0.1
        path: /livez
        port: probe-port
        scheme: HTTPS
    name: kube-apiserver
    ports:
    - containerPort: 6443
      name: probe-port
      protocol: TCP
    resources:
      requests:
        cpu: 250m
    volumeMounts:
    - mountPath: /etc/ssl/certs
      name: ca-certs
      readOnly: true
  hostNetwork: true
  priority: 2000001000
  priorityClassName: system-node-critical
  securityContext:
    seccompProfile:
      type: RuntimeDefault
  volumes:
  - hostPath:
      path: /etc/ssl/certs
      type: DirectoryOrCreate
    name: ca-certs
status: {}
`);
    expect(document?.error?.message).toBeUndefined();
    expect(document?.warnings).toEqual([]);
    expect(document?.pod?.spec?.containers[0]).toMatchObject({
      imagePullPolicy: 'IfNotPresent',
      ports: [{ containerPort: 6443, hostPort: 6443 }],
      resources: { requests: { cpu: '250m' } },
    });
  });

  it('gives the same UID for the same content, and another for another file, node or content', async () => {
    const uid = async (text: string, place: Parameters<typeof decodeManifest>[1]) =>
      (await decodeManifest(text, place))[0]?.pod?.metadata?.uid;
    const first = await uid(web, origin);
    expect(await uid(`# a comment\n${web.replace('    image', '    image')}`, origin)).toBe(first);
    const json = { kind: 'Pod', spec: { containers: [{ image: 'nginx', name: 'web' }] }, metadata: { name: 'web' }, apiVersion: 'v1' };
    expect(await uid(JSON.stringify(json), origin)).toBe(first);
    const others = [
      await uid(web, { ...origin, file: '/other.yaml' }),
      await uid(web, { ...origin, nodeName: 'n2' }),
      await uid(web.replace('nginx', 'nginx:1'), origin),
      await uid(web, { source: 'http', url: file, nodeName: 'node-1' }),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
  });

  it('gives pods from a URL no toleration, and a UID that does not depend on the node', async () => {
    const [one] = await decodeManifest(web, { source: 'http', url: 'http://config/pod', nodeName: 'n1' });
    const [two] = await decodeManifest(web, { source: 'http', url: 'http://config/pod', nodeName: 'n2' });
    expect(one?.pod?.spec?.tolerations).toBeUndefined();
    expect(one?.pod?.metadata?.uid).toBe(two?.pod?.metadata?.uid);
  });

  it('keeps a UID of the manifest, and uses it as the hash', async () => {
    const [document] = await decode(web.replace('name: web', 'name: web\n  uid: my-uid'));
    expect(document?.pod?.metadata).toMatchObject({ uid: 'my-uid', annotations: { 'kubernetes.io/config.hash': 'my-uid' } });
  });

  it('reads each document of a file by itself', async () => {
    const documents = await decode(
      `# first\n---\n${web}---\n---\n${web.replace('nginx', '7')}---\nfoo: [\n---\n${web.replace(/web/g, 'api')}---\n`,
    );
    expect(documents.map(({ document }) => document)).toEqual([1, 3, 4, 5]);
    expect(documents.map(({ pod }) => pod?.metadata?.name)).toEqual(['web-node-1', undefined, undefined, 'api-node-1']);
    expect(documents[1]?.error?.message).toBe(`${file}, document 3: spec.containers[0].image: must be text, not the number 7`);
    expect(documents[1]?.error?.details).toMatchObject({ file, document: 3, field: 'spec.containers[0].image' });
    expect(documents[1]?.error).toBeDefined();
    expect(documents[1]).toMatchObject({ fullName: 'web-node-1_default' });
    expect(documents[2]?.error?.message).toMatch(/^\S+, document 4: not valid YAML: /);
    expect(documents[2]).not.toHaveProperty('fullName');
  });

  it('warns of unknown fields and leaves them out, as a kubelet does', async () => {
    const [document] = await decode(
      `${web}    imagePulPolicy: Never\n    ports:\n    - containerport: 80\n      containerPort: 80\n      zzz: 1\n`,
    );
    expect(document?.warnings).toEqual([
      `${file}: spec.containers[0].imagePulPolicy: unknown field, did you mean "imagePullPolicy"?`,
      `${file}: spec.containers[0].ports[0].containerport: unknown field, did you mean "containerPort"?`,
      `${file}: spec.containers[0].ports[0].zzz: unknown field`,
    ]);
    expect(document?.pod?.spec?.containers[0]).not.toHaveProperty('imagePulPolicy');
    expect(document?.pod?.spec?.containers[0]?.imagePullPolicy).toBe('Always');
  });

  it('escapes control characters in warnings, which appear in logs and terminals', async () => {
    const [document] = await decode(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', 'a\nb\u001b[31m\u2028': 1 }));
    expect(document?.warnings).toEqual([`${file}: a\\u000ab\\u001b[31m\\u2028: unknown field`]);
  });

  it('warns of a key that occurs twice; the last one counts', async () => {
    const [document] = await decode(`${web}    image: other\n`);
    expect(document?.warnings).toEqual([`${file}: line 9: the key occurs twice, the last one counts`]);
    expect(document?.pod?.spec?.containers[0]?.image).toBe('other');
  });

  it('takes a manifest that was printed while its pod was being deleted as a new pod, with a warning', async () => {
    const deleted = '  deletionTimestamp: "2026-01-01T00:00:00Z"\n  deletionGracePeriodSeconds: 30\n';
    const [document] = await decode(web.replace('  name: web\n', `  name: web\n${deleted}`));
    expect(document?.warnings).toEqual([
      `${file}: metadata.deletionTimestamp: ignored, the pod is a new one; delete the manifest to delete the pod`,
    ]);
    const [fresh] = await decode(web);
    expect(document?.pod).toEqual(fresh?.pod);
  });

  it('treats null as absent', async () => {
    const [document] = await decode(`${web}    command: null\n    env: ~\n  volumes:\nstatus: null\n`);
    expect(document?.error).toBeUndefined();
    expect(document?.pod?.spec?.containers[0]).not.toHaveProperty('env');
  });

  it('is not led astray by the names of object members', async () => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const [document] = await decode(
      text.replace('"name":"web"', '"name":"web","labels":{"__proto__":"x"},"constructor":1,"__proto__":{"name":"evil"}'),
    );
    expect(document?.error?.message).toMatch(/^\S+: metadata\.labels: Invalid value: "__proto__"/);
    expect(document?.warnings).toHaveLength(2);
  });

  it('refuses an origin without a node name or with an empty file name', async () => {
    await expect(decodeManifest(web, { ...origin, nodeName: '' })).rejects.toMatchObject({
      code: 'InvalidOption',
      details: { field: 'nodeName' },
    });
    await expect(decodeManifest(web, { ...origin, file: '' })).rejects.toMatchObject({ code: 'InvalidOption', details: { field: 'file' } });
  });
});

const hintQuote = 'put it in quotes: ';
/** A text, and its error: the line after the file's name, and the hint. */
const unreadable: [what: string, text: string, message: string, hint?: string][] = [
  ['an empty file', '', 'the file is empty', 'delete the file to remove its pods'],
  ['comments only', '# nothing\n', 'the file is empty', 'delete the file to remove its pods'],
  ['cut JSON', '{"kind": "Pod"', 'not valid JSON: '],
  [
    'cut YAML',
    'kind: Pod\nspec: [',
    'not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ] at line 2, column 8',
  ],
  ['a tab', 'kind: Pod\nspec:\n\tx: 1', 'not valid YAML: Tabs are not allowed as indentation at line 3, column 1'],
  [
    'an alias bomb',
    `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [${`*${i ? `b${i - 1}` : 'a'}, `.repeat(9)}x]`).join('\n')}`,
    'aliases expand to more than the limit of 100000 values',
    'split the file, or write it as JSON',
  ],
  ['a list', '- a', 'must be a map, not a list', 'a manifest is a Pod: apiVersion: v1, kind: Pod'],
  ['text', 'hello', 'must be a map, not text', 'a manifest is a Pod: apiVersion: v1, kind: Pod'],
  ['no kind', 'a: b', "kind: Object 'Kind' is missing", 'a manifest is a Pod: apiVersion: v1, kind: Pod'],
  [
    'another kind',
    'apiVersion: apps/v1\nkind: Deployment',
    'kind: "Deployment" cannot be run from a manifest, only "Pod" can',
    'a manifest is a Pod: apiVersion: v1, kind: Pod',
  ],
  [
    'a list of pods',
    'apiVersion: v1\nkind: PodList',
    'kind: a PodList is not accepted: write each pod as a separate document, with a line "---" between them',
  ],
  [
    'another version',
    'apiVersion: v2\nkind: Pod',
    'apiVersion: must be "v1" for a Pod, not "v2"',
    'a manifest is a Pod: apiVersion: v1, kind: Pod',
  ],
  [
    'a version nested too deeply to be printed',
    `{"kind": "Pod", "apiVersion": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    'apiVersion: must be "v1" for a Pod, not a list',
    'a manifest is a Pod: apiVersion: v1, kind: Pod',
  ],
  ['no version', 'kind: Pod', 'apiVersion: must be "v1" for a Pod, not absent', 'a manifest is a Pod: apiVersion: v1, kind: Pod'],
  ['containers as text', web.replace(/containers:[\s\S]*/, 'containers: web'), 'spec.containers: must be a list, not text'],
  ['containers as a map', web.replace('- name', '  name'), 'spec.containers: must be a list, not a map', 'begin each entry with "- "'],
  ['a list for a map', web.replace('metadata:\n  name: web', 'metadata:\n- name: web'), 'metadata: must be a map, not a list'],
  [
    'a number for text',
    `${web}    env:\n    - name: PORT\n      value: 8080\n`,
    'spec.containers[0].env[0].value: must be text, not the number 8080',
    `${hintQuote}"8080"`,
  ],
  [
    'a truth value for text',
    web.replace('name: web\nspec', 'name: web\n  labels: {on-call: yes}\nspec'),
    'metadata.labels[on-call]: must be text, not true',
    `${hintQuote}"true"`,
  ],
  [
    'text for a number',
    `${web}    ports:\n    - containerPort: "80"\n`,
    'spec.containers[0].ports[0].containerPort: must be a whole number, not text',
  ],
  [
    'a broken number',
    `${web}    ports:\n    - containerPort: 80.5\n`,
    'spec.containers[0].ports[0].containerPort: must be a whole number, not the number 80.5',
  ],
  [
    'a number too large',
    `${web}    ports:\n    - containerPort: 3000000000\n`,
    'spec.containers[0].ports[0].containerPort: must fit in 32 bits, but is 3000000000',
  ],
  [
    'an octal number for text',
    `${web}    env:\n    - name: MODE\n      value: 0644\n`,
    'spec.containers[0].env[0].value: must be text, not the number 0644',
    `${hintQuote}"0644"`,
  ],
  [
    'a number with more digits than a number keeps',
    `${web}    env:\n    - name: ID\n      value: 12345678901234567890\n`,
    'spec.containers[0].env[0].value: must be text, not the number 12345678901234567890',
    `${hintQuote}"12345678901234567890"`,
  ],
  [
    'the same in JSON',
    '{"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"example.com/id": 12345678901234567890}}}',
    'metadata.labels[example.com/id]: must be text, not the number 12345678901234567890',
    `${hintQuote}"12345678901234567890"`,
  ],
  [
    'a hexadecimal number too large',
    `${web}    ports:\n    - containerPort: 0x1_0000_0000\n`.replaceAll('_', ''),
    'spec.containers[0].ports[0].containerPort: must fit in 32 bits, but is 0x100000000',
  ],
  ['UTF-16', new TextDecoder().decode(Buffer.from(`\ufeff${web}`, 'utf16le')), 'the text is UTF-16, not UTF-8', 'save the file as UTF-8'],
  ['text for a truth value', `${web}    tty: "true"\n`, 'spec.containers[0].tty: must be true or false, not text'],
  [
    'a bad amount',
    `${web}    resources: {limits: {cpu: 1 core}}\n`,
    'spec.containers[0].resources.limits[cpu]: Invalid value: "1 core": quantities must match',
  ],
  [
    'a map for an amount',
    `${web}    resources: {limits: {cpu: {}}}\n`,
    'spec.containers[0].resources.limits[cpu]: must be an amount such as "500m" or "1Gi", not a map',
  ],
  [
    'a truth value for a port',
    `${web}    livenessProbe: {tcpSocket: {port: yes}}\n`,
    'spec.containers[0].livenessProbe.tcpSocket.port: must be a number or text, not true',
  ],
  [
    'a bad time',
    web.replace('name: web\nspec', 'name: web\n  creationTimestamp: tomorrow\nspec'),
    'metadata.creationTimestamp: must be a time such as "2026-01-01T00:00:00Z", not text',
  ],
];

describe('a text that is no pod', () => {
  it.each(unreadable)('%s', async (_, text, message, hint) => {
    const error = await errorOf(text);
    expect(error?.code).toBe('NotAPod');
    expect(error?.message.slice(0, file.length + 2 + message.length)).toBe(`${file}: ${message}`);
    expect(error?.message).not.toContain('\n');
    expect(error?.hint).toBe(hint);
    expect(error?.details.file).toBe(file);
  });

  it('shows the first of many problems in the message, and all in the details', async () => {
    const error = await errorOf(`${web}    command: [1, 2, 3, 4, 5, 6]\n`);
    expect(error?.message).toMatch(/command\[3\]: must be text, not the number 4; and 2 more$/);
    expect(error?.details.problems).toHaveLength(6);
  });

  it('keeps the message on one line and escapes control characters', async () => {
    const [document] = await decodeManifest('{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a\\nb\\u001b[31m":1}}}', {
      ...origin,
      file: 'a\nb.yaml',
    });
    expect(document?.error?.message).toBe('a\\u000ab.yaml: metadata.labels[a\\u000ab\\u001b[31m]: must be text, not the number 1');
  });
});

describe('a pod that is refused', () => {
  it('is a mirror pod, which would never run', async () => {
    const annotated = `apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  annotations: {kubernetes.io/config.mirror: h}\nspec:\n  containers:\n  - {name: c, image: i}\n`;
    const [document] = await decodeManifest(annotated, { source: 'file', file: 'a.yaml', nodeName: 'n' });
    expect(document?.error).toMatchObject({
      code: 'InvalidManifest',
      message:
        'a.yaml: metadata.annotations[kubernetes.io/config.mirror]: a manifest with this annotation describes a mirror pod, which does not run',
      hint: 'remove the annotation; the agent creates the mirror pod of a static pod itself',
    });
  });

  it('needs a name', async () => {
    const error = await errorOf(web.replace('name: web', 'namespace: web'));
    expect(error?.code).toBe('InvalidManifest');
    expect(error?.message).toBe(`${file}: metadata.name: invalid pod: name is needed for the pod`);
  });

  it('is validated with its defaults and its final name', async () => {
    const error = await errorOf(web.replace('name: web', 'name: Web'));
    expect(error?.code).toBe('InvalidManifest');
    expect(error?.message).toMatch(/^\S+: metadata\.name: Invalid value: "Web-node-1": a lowercase RFC 1123 subdomain/);
  });

  it('may not refer to the API', async () => {
    const error = await errorOf(`${web}    envFrom:\n    - secretRef: {name: s}\n`);
    expect(error?.code).toBe('StaticPodReference');
    expect(error?.message).toBe(`${file}: spec.containers[0].envFrom[0].secretRef: static pods may not reference secrets`);
    expect(error?.hint).toBe('put the content on the node and mount it as a hostPath volume');
  });
});
