import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeAgentError, type Pod, systemClock } from '@nodeagent/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFileSource } from './file-source.js';
import { nodeFileSystem } from './node-files.js';

const manifest = (name: string, image = 'i') =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, uid: ${name}-${image}}\nspec:\n  containers:\n  - {name: c, image: ${image}}\n`;

let root: string;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'manifests-'));
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await rm(root, { recursive: true, force: true });
});

/** A started source, and waits for its lists and errors. The periodic check is due after an hour: only the watch reports changes. */
async function follow(path: string) {
  const errors: string[] = [];
  let pods: string[] | undefined;
  let changed = () => {};
  const source = createFileSource({
    path,
    nodeName: 'n',
    clock: systemClock,
    checkIntervalMs: 3_600_000,
    onError: (error: NodeAgentError) => {
      errors.push(error.message);
      changed();
    },
  });
  source.onPods = (list: Pod[]) => {
    pods = list.map(({ metadata }) => metadata?.uid ?? '').sort();
    changed();
  };
  stops.push(() => source.stop());
  await source.start();
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      changed = () => {
        if (holds()) resolve();
      };
      changed();
    });
  const lists = (...expected: string[]) => until(() => JSON.stringify(pods) === JSON.stringify(expected));
  return { lists, until, errors };
}

it('follows a folder: new, changed, replaced, broken and deleted files', async () => {
  await writeFile(join(root, 'a.yaml'), manifest('a'));
  await mkdir(join(root, 'sub'));
  const { lists, until, errors } = await follow(root);
  await lists('a-i');
  await writeFile(join(root, 'b.yaml'), manifest('b'));
  await lists('a-i', 'b-i');
  await writeFile(join(root, '.tmp'), manifest('b', 'new'));
  await rename(join(root, '.tmp'), join(root, 'b.yaml'));
  await lists('a-i', 'b-new');
  await writeFile(join(root, 'a.yaml'), 'kind: Pod\nspec: [');
  await until(() => errors.length > 0);
  await rm(join(root, 'b.yaml'));
  await lists('a-i');
  await rm(join(root, 'a.yaml'));
  await lists();
});

it('follows a single file through its replacement', async () => {
  const path = join(root, 'pod.yaml');
  await writeFile(path, manifest('a'));
  const { lists } = await follow(path);
  await lists('a-i');
  await writeFile(`${path}.new`, manifest('a', 'j'));
  await rename(`${path}.new`, path);
  await lists('a-j');
  await writeFile(path, manifest('a', 'k'));
  await lists('a-k');
  await rm(path);
  await lists();
});

it('follows a mounted config map, whose content is swapped by a link', async () => {
  const version = async (name: string, image: string) => {
    await mkdir(join(root, name));
    await writeFile(join(root, name, 'pod.yaml'), manifest('a', image));
    await symlink(name, join(root, '..data_tmp'));
    await rename(join(root, '..data_tmp'), join(root, '..data'));
  };
  await version('..1', 'one');
  await symlink(join('..data', 'pod.yaml'), join(root, 'pod.yaml'));
  const { lists } = await follow(root);
  await lists('a-one');
  await version('..2', 'two');
  await lists('a-two');
});

it('finds a folder that is created later', async () => {
  const path = join(root, 'manifests');
  const { lists, errors } = await follow(path);
  await lists();
  expect(errors).toEqual([`${path}: path does not exist, ignoring`]);
  await mkdir(path);
  await writeFile(join(path, 'a.yaml'), manifest('a'));
  await lists('a-i');
});

it('reads no pipe that replaces a manifest after its stat', async () => {
  const pipe = join(root, 'a.yaml');
  execFileSync('mkfifo', [pipe]);
  await expect(nodeFileSystem.read(pipe)).rejects.toMatchObject({ code: 'NotRegularFile' });
});
