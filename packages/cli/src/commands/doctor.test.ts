import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTestConsole } from '../test-console.js';
import { doctor } from './doctor.js';

function temporaryFolder(): string {
  const folder = mkdtempSync('/tmp/nodeagent-doctor-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('prints each check of this machine, and changes nothing', async () => {
  const folder = temporaryFolder();
  const { console, stdout } = createTestConsole({ env: { PATH: process.env.PATH } });
  const isRoot = process.getuid?.() === 0;
  const code = await doctor(['--root-dir', join(folder, 'root')], { ...console, isRoot });
  expect(stdout.text).toMatch(/^ok {7}system +Linux /);
  expect(stdout.text).toMatch(new RegExp(`^(?:ok|warning) +disk .* free at ${folder}`, 'm'));
  expect(stdout.text).toMatch(/^\d+ errors?, \d+ warnings?: pods run /m);
  expect(code).toBe(stdout.text.includes('\n0 errors,') ? 0 : 1);
  expect(stdout.writes.join('')).toBe(stdout.text);
  expect(readdirSync(folder)).toEqual([]);
});

it('prints JSON, and fails without root', async () => {
  const { console, stdout } = createTestConsole({ env: { PATH: process.env.PATH } });
  expect(await doctor(['--root-dir', temporaryFolder(), '-o', 'json'], { ...console, isRoot: false })).toBe(1);
  const { runtime, checks } = JSON.parse(stdout.text);
  expect(runtime).toMatchObject({ type: 'process', text: expect.stringContaining('pods run as plain processes') });
  expect(checks).toContainEqual({ name: 'user', status: 'error', text: expect.any(String), hint: expect.stringContaining('sudo') });
});

it('has colours on a terminal', async () => {
  const { console, stdout } = createTestConsole({ isTTY: true, env: { PATH: process.env.PATH } });
  await doctor(['--root-dir', temporaryFolder()], { ...console, isRoot: false });
  expect(stdout.writes.join('')).not.toBe(stdout.text);
});
