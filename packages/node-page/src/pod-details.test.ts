import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { podDetails } from './pod-details.js';
import { podManifest } from './pod-manifest.js';
import { TestPageAgent } from './test-agent.js';
import { yamlText } from './yaml-text.js';

const now = Date.UTC(2026, 0, 1, 1);
const pod = buildPod({
  name: 'web',
  uid: 'u1',
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"hush":1}', note: 'yes' },
  containers: [
    {
      name: 'main',
      image: 'web:1',
      command: ['serve', '--token=hush'],
      args: ['hush'],
      env: [
        { name: 'PASSWORD', value: 'hush' },
        { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'k' } } },
      ],
      livenessProbe: { httpGet: { port: 80, path: '/?key=hush', httpHeaders: [{ name: 'Authorization', value: 'hush' }] } },
      readinessProbe: { exec: { command: ['check', 'hush'] } },
      volumeMounts: [
        { name: 'settings', mountPath: '/etc/web', readOnly: true },
        { name: 'data', mountPath: '/data' },
      ],
    },
  ],
  volumes: [
    { name: 'settings', configMap: { name: 'web-settings' } },
    { name: 'data', emptyDir: {} },
    { name: 'disk', csi: { driver: 'disks.example.com', volumeAttributes: { token: 'hush' } } },
  ],
});

it('has the volumes with their mounts, the events, newest first, and an explanation', () => {
  const agent = new TestPageAgent();
  agent.podEvents = [
    { at: now - 9_000, count: 1, type: 'Normal', reason: 'Pulled', message: 'image is present' },
    { at: now - 1_000, count: 4, type: 'Warning', reason: 'BackOff', message: 'of web(d391afac-6606-408a-a12b-6aed27682fe8)' },
  ];
  const usage = { history: { times: [], values: {} }, containers: {}, now };
  const details = podDetails({ pod, status: { phase: 'Pending' }, state: 'SyncPod' }, agent, usage);
  expect(details).toMatchObject({
    uid: 'u1',
    qosClass: 'BestEffort',
    explanation: expect.stringMatching(/^The pod .*\.$/),
    volumes: [
      { name: 'settings', source: 'configMap web-settings', mounts: ['main: /etc/web (read-only)'] },
      { name: 'data', source: 'emptyDir', mounts: ['main: /data'] },
      { name: 'disk', source: 'csi disks.example.com', mounts: [] },
    ],
    events: [
      { at: now - 1_000, count: 4, warning: true, text: 'BackOff: of web' },
      { at: now - 9_000, count: 1, warning: false, text: 'Pulled: image is present' },
    ],
  });
});

it('has no secrets in its manifest', () => {
  const text = podManifest(pod, { phase: 'Running' });
  expect(text).not.toContain('hush');
  expect(text).toMatch(/^apiVersion: v1\nkind: Pod\nmetadata:\n/);
  expect(text).toContain(
    '    command: <hidden>\n    args: <hidden>\n    env:\n    - name: PASSWORD\n      value: <hidden>\n    - name: KEY\n      valueFrom:\n        secretKeyRef:\n',
  );
  expect(text).toMatch(/httpGet:\n(?: +(?:port|scheme): \w+\n)* +path: <hidden>\n/);
  expect(text).toMatch(/status:\n {2}phase: Running\n$/);
});

it.each<[unknown, string]>([
  [
    { a: 'yes', b: '1', c: '', d: 'a: b', e: 'web:1', f: ' x', g: '2026-01-01T00:00:00Z' },
    'a: "yes"\nb: "1"\nc: ""\nd: "a: b"\ne: web:1\nf: " x"\ng: "2026-01-01T00:00:00Z"\n',
  ],
  [{ list: [], map: {}, none: null, on: true, n: 1.5 }, 'list: []\nmap: {}\nnone: null\n"on": true\n"n": 1.5\n'],
  [[['a'], [{ b: [1, 2], c: { d: 'x\ny' } }]], '- - a\n- - b:\n    - 1\n    - 2\n    c:\n      d: "x\\ny"\n'],
])('%j is YAML', (value, text) => {
  expect(yamlText(value)).toBe(text);
});
