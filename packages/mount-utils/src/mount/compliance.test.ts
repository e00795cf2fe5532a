import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import { defineSuite, type Fixture, type MounterSubject, mounterSuite } from '@nodeagent/compliance';
import { describe, it } from 'vitest';
import { createFakeMounter } from './fake-mounter.js';
import { createNodeMounter } from './node-mounter.js';

const failing = { source: 'none', fsType: 'no-such-type', sensitiveOptions: ['password=hush'] };
const answer = { exitCode: 3, stdout: 'out\n', stderr: 'err\n' };
const fails = { command: 'sh', args: ['-c', 'echo out; echo err >&2; exit 3'], ...answer };
const missing = 'no-such-tool';

function fakeSubject(): Fixture<MounterSubject> {
  const busy = new Set<string>();
  const mounter = createFakeMounter();
  const failed = (message: string) => new NodeAgentError('MountFailed', message);
  mounter.fail = (call) => {
    const [command, target = ''] = call.split(' ');
    if (command === missing || call.includes(failing.fsType)) return failed(command ?? '');
    return command === 'unmount' && busy.has(target) ? failed('target is busy') : undefined;
  };
  mounter.answer = (command) => (command === 'sh' ? answer : { exitCode: 0, stdout: '', stderr: '' });
  return {
    subject: {
      mounter,
      powerless: createFakeMounter({ canMount: false }),
      targets: ['/a', '/b'],
      failing: { ...failing, target: '/a' },
      async keepBusy(target) {
        busy.add(target);
        return { release: async () => void busy.delete(target) };
      },
      tools: { fails, missing },
    },
  };
}

describe('the fake mounter keeps the promises of a', () => {
  defineSuite({ describe, it }, mounterSuite, fakeSubject);
});

/** Mounts on this machine, below the test's folder. */
function nodeSubject(): Fixture<MounterSubject> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nodeagent-mounter-')));
  const targets = [join(folder, 'a'), join(folder, 'b')] as const;
  for (const target of targets) mkdirSync(target);
  const mounter = createNodeMounter();
  return {
    subject: {
      mounter,
      powerless: createNodeMounter({ isRoot: false }),
      targets,
      failing: { ...failing, target: targets[0] },
      async keepBusy(target) {
        const file = await open(join(target, 'open'), 'w');
        return { release: () => file.close() };
      },
      tools: { fails, missing },
    },
    async cleanup() {
      if (await canMount()) for (const target of targets) for (let i = 0; i < 2; i++) await mounter.unmount(target).catch(() => {});
      rmSync(folder, { recursive: true });
    },
  };
}

/** Root in a container may lack CAP_SYS_ADMIN, so try a mount. */
async function canMount(): Promise<boolean> {
  const mounter = createNodeMounter();
  const target = mkdtempSync(join(tmpdir(), 'nodeagent-mounter-'));
  try {
    await mounter.mount({ source: 'tmpfs', target, fsType: 'tmpfs' });
    await mounter.unmount(target);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(target, { recursive: true });
  }
}

const without = (await canMount()) ? [] : ['mounts', 'busy'];

describe('the mounter of this machine keeps the promises of a', () => {
  defineSuite({ describe, it }, mounterSuite, nodeSubject, { without });
});
