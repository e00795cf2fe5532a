import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestConsole } from '../../test-console.js';
import { registryLogin } from './registry-login.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'nodeagent-login-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const login = (username: string) => ({ auth: Buffer.from(`${username}:secret`).toString('base64') });

function write(path: string, auths: object): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), JSON.stringify({ auths }));
}

async function find(repository: string, env: NodeJS.ProcessEnv = {}, values = {}, stdin = Readable.from([])) {
  const { console } = createTestConsole({ env: { HOME: home, ...env }, stdin });
  const found = await registryLogin(values, repository, console);
  return found && { ...found.credentials, source: found.source.replace(home, '') };
}

describe('the credentials of a pull', () => {
  it('are those of the first file that has some for the image', async () => {
    expect(await find('a.example/app')).toBeUndefined();
    write('.docker/config.json', { 'a.example': login('docker'), 'https://index.docker.io/v1/': login('hub') });
    write('.config/containers/auth.json', { 'a.example': login('podman'), 'a.example/team': login('team'), 'b.example': {} });
    expect(await find('a.example/app')).toEqual({ username: 'podman', password: 'secret', source: '/.config/containers/auth.json' });
    expect((await find('a.example/team/app'))?.username).toBe('team');
    expect((await find('docker.io/library/nginx'))?.username).toBe('hub');
    expect(await find('b.example/app')).toBeUndefined();
    write('run/containers/auth.json', { 'a.example': login('run') });
    expect((await find('a.example/app', { XDG_RUNTIME_DIR: join(home, 'run') }))?.username).toBe('run');
  });

  it('are those of the chosen file alone, which must be there', async () => {
    write('.docker/config.json', { 'a.example': login('docker') });
    write('mine.json', { 'a.example': { ...login('x'), identitytoken: 'token' } });
    const file = join(home, 'mine.json');
    const expected = { username: 'x', identityToken: 'token', source: '/mine.json' };
    expect(await find('a.example/app', { REGISTRY_AUTH_FILE: file })).toEqual(expected);
    expect(await find('a.example/app', {}, { authfile: file })).toEqual(expected);
    expect(await find('c.example/app', { REGISTRY_AUTH_FILE: file })).toBeUndefined();
    await expect(find('a.example/app', {}, { authfile: `${file}.missing` })).rejects.toMatchObject({ code: 'INVALID_AUTH_FILE' });
  });

  it('are not in the error about an invalid file', async () => {
    write('.docker/config.json', { 'a.example': { auth: 'secret' } });
    await expect(find('a.example/app')).rejects.toThrow(
      `cannot read the credentials of ${join(home, '.docker/config.json')}: docker config entry`,
    );
    await expect(find('a.example/app')).rejects.not.toThrow('secret');
  });

  it('are read from stdin, and never from a terminal', async () => {
    const values = { username: 'robot', 'password-stdin': true };
    expect(await find('a.example/app', {}, values, Readable.from(['pass', 'word\r\n']))).toEqual({
      username: 'robot',
      password: 'password',
      source: '--username',
    });
    await expect(find('a', {}, values, Object.assign(Readable.from([]), { isTTY: true }))).rejects.toThrow('stdin is a terminal');
    await expect(find('a', {}, values)).rejects.toThrow('stdin has no password');
    await expect(find('a', {}, { 'password-stdin': true })).rejects.toThrow('--password-stdin: requires --username');
  });
});
