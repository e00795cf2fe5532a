import { describe, expect, it } from 'vitest';
import { named, setUp } from '../memory-runtime.fixture.js';
import { createMemoryFileSystem } from './memory-file-system.js';
import { createProgramFiles, type ProgramFiles } from './program-files.js';

function container(readonlyRoot = false) {
  const node = createMemoryFileSystem();
  node.write('/volumes/config/mode', 'fast');
  node.write('/volumes/config/key', new Uint8Array([0, 255]));
  node.makeFolder('/volumes/data');
  const source = (path: string) => node.find(path) ?? node.makeFolder(path);
  const mounts = [
    { containerPath: '/etc/config/', source: source('/volumes/config'), readonly: true },
    { containerPath: '/data', source: source('/volumes/data'), readonly: false },
    { containerPath: '/etc/mode', source: source('/volumes/config/mode'), readonly: true },
  ];
  return { node, files: createProgramFiles({ mounts, cwd: '/srv/app', readonlyRoot }) };
}

describe('the files of a program', () => {
  it('are those of its mounts and of the container', () => {
    const { files, node } = container();
    expect(files.readText('/etc/config/mode')).toBe('fast');
    expect([...files.readBytes('/etc/config/key')]).toEqual([0, 255]);
    files.makeDirectory('/data/a/b');
    files.write('/data/a/b/c', 'c');
    files.append('/data/a/b/c', 'd');
    expect(node.find('/volumes/data/a/b/c')).toEqual({ kind: 'file', content: 'cd' });
    files.write('local', 'x');
    expect(files.readText('/srv/app/../app/./local')).toBe('x');
    expect([files.list('/'), files.list('/etc'), files.list('/data/a')]).toEqual([
      ['data', 'etc', 'srv', 'tmp'],
      ['config', 'mode'],
      ['b'],
    ]);
    files.remove('/data/a');
    files.remove('/data/a');
    expect([files.exists('/data/a'), files.exists('/data'), node.find('/volumes/data/a')]).toEqual([false, true, undefined]);
    expect(node.find('/srv')).toBeUndefined();
  });

  const refusals: [what: string, run: (files: ProgramFiles) => void, error: string][] = [
    ['a missing file', (files) => files.readText('/none'), "ENOENT: no such file or directory, open '/none'"],
    ['a file in a missing folder', (files) => files.write('/no/file', ''), "ENOENT: no such file or directory, open '/no/file'"],
    ['a file below a file', (files) => files.write('/etc/mode/x', ''), "ENOENT: no such file or directory, open '/etc/mode/x'"],
    ['a folder as a file', (files) => files.readText('/data'), "EISDIR: illegal operation on a directory, read '/data'"],
    ['a folder to write', (files) => files.write('/data', ''), "EISDIR: illegal operation on a directory, open '/data'"],
    ['a file as a folder', (files) => files.list('/etc/mode'), "ENOTDIR: not a directory, scandir '/etc/mode'"],
    ['a folder in place of a file', (files) => files.makeDirectory('/etc/mode/x'), "ENOTDIR: not a directory, mkdir '/etc/mode/x'"],
    ['a missing folder', (files) => files.list('/none'), "ENOENT: no such file or directory, scandir '/none'"],
    [
      'a write to a read-only volume',
      (files) => files.write('/etc/config/mode', ''),
      "EROFS: read-only file system, open '/etc/config/mode'",
    ],
    ['a write to a read-only file', (files) => files.append('/etc/mode', ''), "EROFS: read-only file system, open '/etc/mode'"],
    [
      'a removal from a read-only volume',
      (files) => files.remove('/etc/config/mode'),
      "EROFS: read-only file system, rm '/etc/config/mode'",
    ],
    [
      'a folder in a read-only volume',
      (files) => files.makeDirectory('/etc/config/a'),
      "EROFS: read-only file system, mkdir '/etc/config/a'",
    ],
    ['the removal of a mount', (files) => files.remove('/data'), "EBUSY: resource busy or locked, rm '/data'"],
  ];
  it.each(refusals)('refuse %s', (_, run, message) => {
    expect(() => run(container().files)).toThrow(expect.objectContaining({ message, code: message.split(':')[0] }));
  });

  it('of a read-only root can be written in volumes only', () => {
    const { files } = container(true);
    files.write('/data/a', 'a');
    expect(() => files.write('/tmp/a', 'a')).toThrow('EROFS');
  });
});

describe('the file system of a node', () => {
  it('replaces the content of a folder; what was mounted of the old content stays', () => {
    const node = createMemoryFileSystem();
    node.replaceContent(
      '/config',
      new Map([
        ['a', '1'],
        ['sub/b', '2'],
      ]),
    );
    const [folder, file] = [node.find('/config'), node.find('/config/a')];
    node.bind('/config/a', '/mounts/0');
    node.replaceContent('/config', new Map([['a', '3']]));
    expect(node.find('/config')).toBe(folder);
    expect(node.find('/mounts/0')).toBe(file);
    expect([node.find('/mounts/0'), node.find('/config/a'), node.find('/config/sub')]).toMatchObject([
      { content: '1' },
      { content: '3' },
      undefined,
    ]);
  });

  it('follows links, not for ever', () => {
    const node = createMemoryFileSystem();
    node.link('/b', '/a');
    expect(node.find('/a')).toBeUndefined();
    node.append('/b', 'x');
    expect(node.find('/a')).toBe(node.find('/b'));
    node.link('/a', '/b');
    expect(node.find('/a')).toBeUndefined();
  });
});

it('is shared by the containers of a pod, and its termination log has the message', async () => {
  const files: [path: string, text: string][] = [];
  const node = setUp({ files: { append: (path, text) => files.push([path, text]) } });
  node.memory.programImage('writer', ({ files: own }) => {
    own.write('/data/a', 'from the writer');
    own.write('/dev/termination-log', 'bye');
  });
  node.memory.programImage('reader', ({ files: own, stdout }) => stdout(own.readText('/cache/a')));
  await Promise.all(['writer', 'reader'].map((image) => node.image.pullImage({ image: { image } })));
  const sandbox = await node.run('p');
  const start = async (name: string, mounts: { containerPath: string; hostPath: string }[]) => {
    const id = await node.start(sandbox, { ...named(name), image: { image: name }, mounts });
    await node.clock.settle();
    return id;
  };
  await start('writer', [
    { containerPath: '/data', hostPath: '/volumes/data' },
    { containerPath: '/dev/termination-log', hostPath: '/pods/p/log' },
  ]);
  const reader = await start('reader', [{ containerPath: '/cache', hostPath: '/volumes/data' }]);
  expect(node.memory.logs(reader)).toEqual(['from the writer']);
  expect(files).toContainEqual(['/pods/p/log', 'bye']);
});
