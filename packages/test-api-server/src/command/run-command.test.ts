import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'run-command-'));
const program = join(folder, 'dist', 'bin.mjs');
beforeAll(async () => {
  const entryPoint = fileURLToPath(new URL('../bin.ts', import.meta.url));
  // The parser of YAML, which is loaded lazily, is CommonJS.
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({ entryPoints: [entryPoint], outfile: program, bundle: true, platform: 'node', format: 'esm', banner });
  writeFileSync(join(folder, 'package.json'), '{"version":"1.2.3"}');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command in this process; `end` ends it and returns its exit code. */
async function start(args: string[]) {
  const abort = new AbortController();
  const written = { out: '', err: '' };
  let ready = () => {};
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const code = runCommand(args, {
    out: (text) => {
      written.out += text;
      ready();
    },
    err: (text) => {
      written.err += text;
    },
    version: '1.2.3',
    signal: abort.signal,
  });
  await Promise.race([isReady, code]);
  const end = () => {
    abort.abort();
    return code;
  };
  return { ...written, end };
}

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;

describe('the command', () => {
  it('prints a kubeconfig, or the URL if it writes that to a file', async () => {
    const printed = await start([]);
    expect(JSON.parse(printed.out)).toMatchObject({ kind: 'Config', users: [{ user: { 'client-certificate-data': expect.any(String) } }] });
    expect(await printed.end()).toBe(0);
    const file = join(folder, 'kubeconfig');
    const written = await start(['--kubeconfig', file, '--http']);
    const { clusters } = JSON.parse(readFileSync(file, 'utf8'));
    expect([clusters[0].cluster.server, statSync(file).mode & 0o777]).toEqual([written.out.trim(), 0o600]);
    expect((await fetch(`${written.out.trim()}/api/v1/namespaces/default`)).status).toBe(200);
    expect(await written.end()).toBe(0);
  });

  it('applies files and folders, definitions first', async () => {
    const objects = join(folder, 'objects');
    mkdirSync(objects, { recursive: true });
    writeFileSync(join(objects, 'a.yaml'), 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n---\n# nothing\n');
    writeFileSync(join(objects, 'b.yml'), definition);
    writeFileSync(join(objects, 'notes.txt'), 'no object');
    const { out, end } = await start(['--http', '--kubeconfig', join(folder, 'k2'), '--crds', objects]);
    expect((await fetch(`${out.trim()}/apis/example.com/v1/namespaces/default/widgets/w`)).status).toBe(200);
    await end();
  });

  it.each([
    [['--port', 'x'], 2, '--port must be a number from 0 to 65535, not "x"'],
    [['--nothing'], 2, 'usage: test-api-server'],
    [['--sync'], 2, '--sync needs --persist FILE'],
    [['--service-certs', 'x'], 2, '--service-certs needs --service-url'],
    [['--service-url', 'hooks=x'], 2, 'serviceUrls must be NAMESPACE/NAME=URL'],
    [['--crds', '/no/such/folder'], 1, 'ENOENT'],
    [['--host', '256.0.0.1'], 1, '256.0.0.1'],
  ])('reports wrong arguments: %j', async (args, code, message) => {
    const { err, end } = await start(args);
    expect([await end(), err]).toEqual([code, expect.stringContaining(message)]);
  });

  it('names the file and the document of an invalid object', async () => {
    const file = join(folder, 'invalid.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Nothing\nmetadata: {name: b}\n');
    const { err, end } = await start(['--apply', file]);
    expect([await end(), err]).toEqual([1, `test-api-server: apply ${file}, document 2: no matches for kind "Nothing" in version "v1"\n`]);
  });

  it('prints its version and its flags', async () => {
    expect((await start(['--version'])).out).toBe('test-api-server 1.2.3\n');
    expect((await start(['--help'])).out).toContain('--persist FILE');
  });
});

const kills = 8;
const seed = Date.now() % 1_000_000;
let state = seed;
/** Numbers in [0, 1) that follow from the seed. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}

describe('a command that is killed', () => {
  it(`has every acknowledged write afterwards, ${kills} times (seed ${seed})`, async () => {
    const file = join(folder, 'state.log');
    const acknowledged = new Set<string>();
    let written = 0;
    for (let kill = 0; kill < kills; kill++) {
      const child = spawn(process.execPath, [program, '--http', '--persist', file, '--kubeconfig', join(folder, 'k3')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [url] = await once(child.stdout, 'data');
      const list = `${String(url).trim()}/api/v1/namespaces/default/configmaps`;
      const { items } = (await (await fetch(`${list}?labelSelector=of=kill`)).json()) as { items: { metadata: { name: string } }[] };
      const names = new Set(items.map(({ metadata }) => metadata.name));
      expect([...acknowledged].filter((name) => !names.has(name))).toEqual([]);
      const exited = once(child, 'exit');
      let delayMs: number | undefined;
      const write = async () => {
        for (;;) {
          const name = `m${written++}`;
          const object = { metadata: { name, labels: { of: 'kill' } }, data: { text: 'x'.repeat(random() * 200_000) } };
          const response = await fetch(list, {
            method: 'POST',
            body: JSON.stringify(object),
            headers: { 'content-type': 'application/json' },
          });
          if (response.status !== 201) continue;
          acknowledged.add(name);
          if (delayMs !== undefined) continue;
          delayMs = random() * 60;
          setTimeout(() => child.kill('SIGKILL'), delayMs);
        }
      };
      await Promise.allSettled([write(), write(), write(), write(), exited]);
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(kills);
  });
});
