import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NetworkSource } from '../network-source.js';
import { createNetworkFolder } from './network-folder.js';

let folder: string;
let source: NetworkSource;
const write = (name: string, value: object) => {
  writeFileSync(join(folder, `${name}.tmp`), JSON.stringify(value));
  renameSync(join(folder, `${name}.tmp`), join(folder, name));
};
const names = () => source.networks().map(({ name, plugins }) => [name, ...plugins.map(({ type }) => type)].join(' '));
const become = (expected: string[]) => vi.waitFor(() => expect(names()).toEqual(expected), { timeout: 20_000, interval: 20 });

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'cni-net-')), 'net.d');
});
afterEach(async () => {
  await source.stop();
  rmSync(join(folder, '..'), { recursive: true });
});

describe('createNetworkFolder', () => {
  it('follows new, changed, renamed and removed files, and the plugins of a folder', async () => {
    mkdirSync(folder);
    write('20.conf', { name: 'b', type: 'ptp' });
    source = createNetworkFolder({ configDir: folder });
    await source.start();
    expect(names()).toEqual(['b ptp']);
    write('10.conflist', { name: 'a', plugins: [{ type: 'bridge' }] });
    await become(['a bridge', 'b ptp']);
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a/1.conf'), '{"type":"tuning"}');
    await become(['a bridge tuning', 'b ptp']);
    writeFileSync(join(folder, 'a/2.conf'), '{"type":"sbr"}');
    await become(['a bridge tuning sbr', 'b ptp']);
    renameSync(join(folder, '10.conflist'), join(folder, '30.conflist'));
    await become(['b ptp', 'a bridge tuning sbr']);
    writeFileSync(join(folder, '20.conf'), '{');
    await become(['a bridge tuning sbr']);
    rmSync(join(folder, '30.conflist'));
    await become([]);
    expect(source.notReadyMessage()).toContain(
      `no network config found in ${folder}: cni plugin not initialized; network configuration "20.conf"`,
    );
  });

  it('polls a missing folder, and follows it once it exists', async () => {
    const clock = createVirtualClock();
    source = createNetworkFolder({ configDir: folder, clock });
    await source.start();
    expect(source.notReadyMessage()).toBe(`no network config found in ${folder}: cni plugin not initialized`);
    mkdirSync(folder);
    write('10.conf', { name: 'a', type: 'ptp' });
    await vi.waitFor(
      async () => {
        await clock.advance(5_000);
        expect(names()).toEqual(['a ptp']);
      },
      { timeout: 20_000, interval: 20 },
    );
    rmSync(folder, { recursive: true });
    await vi.waitFor(
      async () => {
        await clock.advance(50);
        expect(names()).toEqual([]);
      },
      { timeout: 20_000, interval: 20 },
    );
  });

  it('can be stopped and started', async () => {
    mkdirSync(folder);
    source = createNetworkFolder({ configDir: folder });
    await source.start();
    await source.stop();
    write('10.conf', { name: 'a', type: 'ptp' });
    await source.start();
    expect(names()).toEqual(['a ptp']);
  });
});
