import { describe, expect, it } from 'vitest';
import { NodeAgentError } from '../contracts/errors.js';
import type { Container } from '../objects/container.js';
import type { Pod } from '../objects/pod.js';
import { parseEnvFile } from './env-file.js';
import { type EnvironmentSources, makeEnvironmentVariables } from './environment.js';
import { gatherEnvironmentSources } from './environment-sources.js';
import { expand, expandContainerCommand } from './expansion.js';

const sources: EnvironmentSources = {
  podIPs: ['10.0.0.5'],
  hostIPs: ['192.168.0.7'],
  nodeAllocatable: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi' },
  services: [],
  configMap: (name) => (name === 'settings' ? { COLOR: 'red', EMPTY: '' } : undefined),
  secret: () => undefined,
  envFile: () => undefined,
};
const pod = (more: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name: 'web', namespace: 'prod', uid: 'u1' },
  spec: { containers: [], enableServiceLinks: true, ...more },
});
const container = (env: Container['env'], envFrom: Container['envFrom'] = []): Container => ({ name: 'c', env, envFrom });
const values = (variables: { name: string; value: string }[]) => Object.fromEntries(variables.map(({ name, value }) => [name, value]));

describe('expansion', () => {
  const lookup = (name: string) => ({ A: '1', B: '$(A)', '': 'empty' })[name];
  it.each([
    ['$(A)', '1'],
    ['$$(A)', '$(A)'],
    ['$(B)', '$(A)'],
    ['$(C)', '$(C)'],
    ['$()', 'empty'],
    ['$x $( $', '$x $( $'],
    ['$$$$', '$$'],
    ['a$(A)b$(A)', 'a1b1'],
  ])('turns %s into %s', (text, expected) => expect(expand(text, lookup)).toBe(expected));

  it('expands each element of a command separately', () => {
    expect(expandContainerCommand({ command: ['$(A', ')', '$(A)'] }, [{ name: 'A', value: 'x y' }])).toEqual(['$(A', ')', 'x y']);
  });
});

describe('environment', () => {
  it('reads envFrom before env, and env can refer to earlier variables', () => {
    const made = makeEnvironmentVariables(
      pod(),
      container(
        [
          { name: 'EARLY', value: '$(LATE)' },
          { name: 'LATE', value: 'x$(P_COLOR)' },
          { name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'COLOR' } } },
        ],
        [{ prefix: 'P_', configMapRef: { name: 'settings' } }],
      ),
      sources,
    );
    expect(values(made)).toEqual({ P_COLOR: 'red', P_EMPTY: '', EARLY: '$(LATE)', LATE: 'xred', COLOR: 'red' });
  });

  it('adds variables of services unless envFrom or env sets them', () => {
    const services = [{ metadata: { name: 'kubernetes', namespace: 'default' }, spec: { clusterIP: '10.96.0.1', ports: [{ port: 443 }] } }];
    const made = makeEnvironmentVariables(
      pod({ containers: [], enableServiceLinks: false }),
      container([{ name: 'KUBERNETES_SERVICE_HOST' }, { name: 'PORT', value: '$(KUBERNETES_SERVICE_PORT)' }]),
      { ...sources, services },
    );
    expect(values(made)).toMatchObject({ KUBERNETES_SERVICE_HOST: '', PORT: '443', KUBERNETES_PORT: 'tcp://10.96.0.1:443' });
  });

  it.each([
    ['the limit of the container', { resources: { limits: { memory: '1Gi' } } }, { cpu: '2', memory: '1Gi' }],
    ['the limit of the pod as a whole', {}, { cpu: '2', memory: '2Gi' }],
  ])('reports %s before what the node has', (_, own, podLimits) => {
    const limitOf = (resource: string, divisor: string) => ({ resourceFieldRef: { resource: `limits.${resource}`, divisor } });
    const env = [
      { name: 'CPU', valueFrom: limitOf('cpu', '1m') },
      { name: 'MEMORY', valueFrom: limitOf('memory', '1Gi') },
      { name: 'STORAGE', valueFrom: limitOf('ephemeral-storage', '1Gi') },
    ];
    const made = (spec: object) => values(makeEnvironmentVariables(pod(spec), { ...container(env), ...own }, sources));
    const memory = podLimits.memory.replace('Gi', '');
    expect(made({ resources: { limits: podLimits } })).toEqual({ CPU: '2000', MEMORY: memory, STORAGE: '100' });
    expect(made({ resources: { limits: { cpu: '0' } } })).toMatchObject({ CPU: '4000', STORAGE: '100' });
  });

  it('omits missing optional variables and keeps an earlier value', () => {
    const made = makeEnvironmentVariables(
      pod(),
      container([
        { name: 'A', value: '1' },
        { name: 'A', valueFrom: { secretKeyRef: { name: 'none', key: 'k', optional: true } } },
        { name: 'B', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'f', key: 'k', optional: true } } },
      ]),
      sources,
    );
    expect(values(made)).toEqual({ A: '1' });
  });

  it.each<[string, string, Container['env'], Partial<EnvironmentSources>]>([
    ['ObjectNotFound', 'secrets "none" not found', [{ name: 'A', valueFrom: { secretKeyRef: { name: 'none', key: 'k' } } }], {}],
    [
      'KeyNotFound',
      "couldn't find key toString in ConfigMap prod/settings",
      [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'toString' } } }],
      {},
    ],
    ['ServicesNotSynced', 'services have not yet been read at least once, cannot construct envvars', [], { services: undefined }],
    [
      'InvalidEnvFile',
      "couldn't parse env file",
      [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'f', key: 'k' } } }],
      { envFile: () => 'oops' },
    ],
    [
      'KeyNotFound',
      'environment variable key "k" not found in file "f"',
      [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'f', key: 'k' } } }],
      {},
    ],
    [
      'UnsupportedFieldPath',
      'unsupported fieldPath: status.phase',
      [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }],
      {},
    ],
  ])('fails with %s: %s', (code, message, env, more) => {
    expect(() => makeEnvironmentVariables(pod(), container(env), { ...sources, ...more })).toThrow(
      expect.objectContaining({ code, message }),
    );
  });

  it.each([
    ['spec.nope', 'field label not supported: spec.nope'],
    ["metadata.labels['a b']", "invalid key subscript in metadata.labels['a b']: name part"],
  ])('has no field %s', (fieldPath, message) => {
    expect(() => makeEnvironmentVariables(pod(), container([{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }]), sources)).toThrow(
      message,
    );
  });

  it('has no value for a label named like a member of every JavaScript object', () => {
    const field = { fieldRef: { fieldPath: "metadata.labels['constructor']" } };
    expect(values(makeEnvironmentVariables(pod(), container([{ name: 'A', valueFrom: field }]), sources))).toEqual({ A: '' });
  });

  it('needs enableServiceLinks for services, except for a static pod', () => {
    expect(() => makeEnvironmentVariables(pod({ enableServiceLinks: undefined }), container([]), sources)).toThrow(
      'nil pod.spec.enableServiceLinks encountered',
    );
    const fromFile = { ...pod(), metadata: { annotations: { 'kubernetes.io/config.source': 'file' } } };
    expect(makeEnvironmentVariables(fromFile, container([]), { ...sources, services: undefined })).toEqual([]);
  });
});

describe('gathering', () => {
  const wanting = container(
    [
      { name: 'OWN', value: 'set', valueFrom: { secretKeyRef: { name: 'unused', key: 'k' } } },
      { name: 'A', valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } },
      { name: 'B', valueFrom: { configMapKeyRef: { name: 'settings', key: 'b' } } },
      { name: 'C', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'dir/env', key: 'c' } } },
    ],
    [{ secretRef: { name: 'keys' } }],
  );
  const facts = { podIPs: ['10.0.0.5'], hostIPs: [], nodeAllocatable: {} };

  it('fetches each object once', async () => {
    const asked: string[] = [];
    const gathered = await gatherEnvironmentSources(pod(), wanting, facts, {
      getSecret: async (namespace, name) => {
        asked.push(`${namespace}/${name}`);
        return { data: { a: Buffer.from('sécret').toString('base64') } };
      },
      getConfigMap: async () => ({ data: { b: 'blue' } }),
      readEnvFile: async (_pod, volume, path) => `c='${volume}:${path}'`,
    });
    expect(asked).toEqual(['prod/keys']);
    expect(values(makeEnvironmentVariables(pod(), wanting, gathered))).toEqual({
      a: 'sécret',
      OWN: 'set',
      A: 'sécret',
      B: 'blue',
      C: 'v:dir/env',
    });
  });

  it('reports a failed fetch when its value is used', async () => {
    const down = new NodeAgentError('Unavailable', 'the server is unavailable', { retryable: true });
    const gathered = await gatherEnvironmentSources(pod(), wanting, facts, { getSecret: () => Promise.reject(down) });
    expect(() => makeEnvironmentVariables(pod(), wanting, gathered)).toThrow(down);
  });

  it('works without ports', async () => {
    const plain = container([
      { name: 'A', value: '1' },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ]);
    const gathered = await gatherEnvironmentSources(pod(), plain, facts, {});
    expect(values(makeEnvironmentVariables(pod(), plain, gathered))).toEqual({ A: '1', IP: '10.0.0.5' });
  });
});

describe('env files', () => {
  it('reads values that span several lines, and stops at the key', () => {
    expect(parseEnvFile("# c\n  A='x\r\n y' # note\nB", 'A')).toBe('x\n y');
    expect(parseEnvFile("A= 'x'\nA='y'", 'A')).toBe('');
    expect(parseEnvFile('', 'A')).toBe('');
  });

  it.each([
    ['A', 'at line 1: missing'],
    ["\n='x'", 'at line 2: empty variable name'],
    ["A ='x'", "whitespace before '=' is not allowed"],
    ['A=x', 'must be enclosed in single quotes'],
    ["A='x", 'starting at line 1: unclosed single quote'],
    ["A='x\n'y", 'at line 2: unexpected content'],
  ])('refuses %j', (content, message) => {
    expect(() => parseEnvFile(content, 'Z')).toThrow(message);
  });
});
