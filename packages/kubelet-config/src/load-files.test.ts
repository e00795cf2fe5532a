import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKubeletConfiguration } from './load-files.js';
import { parseKubeletConfiguration } from './parse.js';
import { printDefaults } from './print-defaults.js';

const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

/** Loads a file below `/etc` and drop-in files below `/etc/conf.d`. */
function load(config: string | undefined, dropIns?: Record<string, string>) {
  const texts: Record<string, string | undefined> = { '/etc/kubelet.yaml': config };
  for (const [name, text] of Object.entries(dropIns ?? {})) texts[`/etc/conf.d/${name}`] = text;
  return loadKubeletConfiguration({
    ...(config !== undefined && { config: '/etc/kubelet.yaml' }),
    ...(dropIns && { configDir: '/etc/conf.d' }),
    files: {
      readText: async (path) => {
        const text = texts[path];
        if (text === undefined) throw new Error(`ENOENT: ${path}`);
        return text;
      },
      list: async () => Object.keys(dropIns ?? {}).map((name) => ({ name, isFolder: false })),
    },
  });
}

describe('a configuration file', () => {
  it('is read with its defaults, its paths relative to it, and eviction thresholds', async () => {
    const { configuration, given, warnings } = await load(
      `${head}maxPods: 250\nfailSwapOn: no\nstaticPodPath: manifests\nsyncFrequency: 90s\n`,
    );
    expect(configuration).toMatchObject({
      maxPods: 250,
      failSwapOn: false,
      staticPodPath: '/etc/manifests',
      syncFrequency: '1m30s',
      port: 10_250,
    });
    expect(configuration.evictionHard).toMatchObject({ 'memory.available': '100Mi' });
    expect(given).toEqual(['maxPods', 'failSwapOn', 'staticPodPath', 'syncFrequency']);
    expect(warnings).toEqual([]);
  });

  it('names ignored fields, with the nearest known one', async () => {
    const { configuration, warnings } = await load(
      `${head}maxPod: 5\nauthentication: {webhok: {}}\nmaxPods: 1\nmaxPods: 2\nfeatureGates: {NodeSwp: true}\nnothingLikeIt: 1\n`,
    );
    expect(configuration.maxPods).toBe(2);
    expect(warnings).toEqual([
      '/etc/kubelet.yaml: line 6: the key occurs twice, the last one counts',
      '/etc/kubelet.yaml: unknown field "maxPod"; did you mean "maxPods"?',
      '/etc/kubelet.yaml: unknown field "authentication.webhok"; did you mean "authentication.webhook"?',
      '/etc/kubelet.yaml: unknown field "nothingLikeIt"',
      'the kubelet has no feature gate "NodeSwp"; did you mean "NodeSwap"?',
    ]);
  });

  it('names every value of a wrong type', async () => {
    const wrong = load(
      `${head}maxPods: many\nsyncFrequency: 5\nclusterDNS: 10.0.0.10\nreservedMemory: [{limits: {memory: much}}]\nmemorySwap: []\nmemoryThrottlingFactor: .inf\ntlsCurvePreferences: [.nan]\n`,
    );
    await expect(wrong).rejects.toMatchObject({
      code: 'InvalidKubeletConfiguration',
      details: {
        problems: [
          'maxPods: must be a whole number, not "many"',
          'syncFrequency: must be a duration such as "1m30s", not 5',
          'clusterDNS: must be a list of strings, not "10.0.0.10"',
          expect.stringContaining('reservedMemory[0].limits.memory: '),
          'memorySwap: must be an object, not a list',
          'memoryThrottlingFactor: must be a number, not Infinity',
          'tlsCurvePreferences: must be a list of strings and numbers, not a list',
        ],
      },
    });
  });

  it.each([
    ['', 'kubelet config file "/etc/kubelet.yaml" was empty'],
    ['maxPods: 1', `Object 'Kind' is missing in '{"maxPods":1}'`],
    ['apiVersion: v1\nkind: Pod', 'no kind "Pod" is registered for version "v1"'],
    [`${head}---\n${head}`, 'not valid YAML or JSON: more than one document'],
    ['{"kind": ', 'not valid YAML or JSON'],
    [`a: &a 1\nb:\n${'- *a\n'.repeat(1001)}`, 'more than the limit of 1000 aliases'],
    [`a: "${'x'.repeat(2 ** 20)}"`, 'larger than the limit of 1048576 bytes for YAML'],
  ])('is rejected: %j', async (text, message) => {
    await expect(load(text)).rejects.toMatchObject({
      code: 'InvalidKubeletConfiguration',
      message: expect.stringContaining(`failed to load kubelet config file, path: /etc/kubelet.yaml: ${message}`),
    });
  });

  it('names the unreadable file', async () => {
    const files = { readText: () => Promise.reject(new Error('EACCES')), list: () => Promise.reject(new Error('ENOENT')) };
    await expect(loadKubeletConfiguration({ config: '/k', files })).rejects.toMatchObject({
      code: 'KubeletConfigurationUnreadable',
      message: 'failed to load kubelet config file, path: /k: EACCES',
      details: { path: '/k' },
    });
    await expect(loadKubeletConfiguration({ configDir: '/d', files })).rejects.toMatchObject({
      code: 'KubeletConfigurationUnreadable',
      message: 'failed to walk through kubelet dropin directory "/d": ENOENT',
    });
  });
});

describe('drop-in files', () => {
  it('are merged in the order of their names, with their own warnings', async () => {
    const { configuration, warnings, skipped } = await load(`${head}maxPods: 1\nclusterDNS: [10.0.0.1]\n`, {
      '5-last.conf': `${head}maxPods: 3\nevictionHard: {memory.available: 1Gi, nodefs.available: null}\n`,
      '10-first.conf': `${head}maxPods: 2\nclusterDNS: null\nmaxPod: 1\n`,
      'notes.txt': 'nothing',
    });
    expect(configuration).toMatchObject({ maxPods: 3, evictionHard: { 'memory.available': '1Gi', 'imagefs.available': '15%' } });
    expect(configuration.evictionHard).not.toHaveProperty('nodefs.available');
    expect(configuration.clusterDNS).toBeUndefined();
    expect(warnings).toEqual(['/etc/conf.d/10-first.conf: unknown field "maxPod"; did you mean "maxPods"?']);
    expect(skipped).toEqual(['/etc/conf.d/notes.txt']);
  });

  it("start without a file from the kubelet's open defaults", async () => {
    const { configuration } = await load(undefined, {});
    expect(configuration).toMatchObject({ readOnlyPort: 10_255, authorization: { mode: 'AlwaysAllow' } });
    expect(configuration.evictionHard).toBeUndefined();
  });

  it('are read from nested directories on disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubelet-config-'));
    try {
      mkdirSync(join(folder, '20-b'));
      writeFileSync(join(folder, '10-a.conf'), `${head}maxPods: 1\nport: 1\n`);
      writeFileSync(join(folder, '20-b', '00.conf'), `${head}maxPods: 2\n`);
      writeFileSync(join(folder, '30-c.conf'), `${head}readOnlyPort: 3\n`);
      const { configuration } = await loadKubeletConfiguration({ configDir: folder });
      expect(configuration).toMatchObject({ port: 1, maxPods: 2, readOnlyPort: 3 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

it('printed defaults load as the defaults', async () => {
  const printed = await load(await printDefaults());
  const empty = await load(head);
  expect(printed.configuration).toEqual(empty.configuration);
  expect(printed.warnings).toEqual([]);
});

describe('the text of a configuration', () => {
  it('is parsed as a file is, except that its paths stay relative', async () => {
    const text = `${head}maxPods: 250\nstaticPodPath: manifests\nclusterDnS: [10.96.0.10]\nfeatureGates: {NoSuchGate: true}\n`;
    const parsed = await parseKubeletConfiguration(text);
    const { skipped, ...loaded } = await load(text);
    expect(parsed.configuration).toEqual({ ...loaded.configuration, staticPodPath: 'manifests' });
    expect(parsed.given).toEqual(loaded.given);
    expect(parsed.warnings).toEqual(loaded.warnings.map((warning) => warning.replace('/etc/kubelet.yaml', 'kubelet.yaml')));
    expect(parsed.warnings).toHaveLength(2);
  });

  it('is refused without a type, with the given path', async () => {
    await expect(parseKubeletConfiguration('maxPods: 1')).rejects.toMatchObject({ code: 'InvalidKubeletConfiguration' });
    await expect(parseKubeletConfiguration('', 'edited')).rejects.toThrow('kubelet config file "edited" was empty');
  });
});
