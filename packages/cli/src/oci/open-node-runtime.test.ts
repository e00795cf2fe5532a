import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { openNodeRuntime } from './open-node-runtime.js';

it.runIf(process.getuid?.() === 0)('a start without the program leaves no mount and no lock', async () => {
  const root = mkdtempSync(join(tmpdir(), 'node-runtime-'));
  const options = {
    ...{ root: join(root, 'oci'), sharedRoot: root, imagesRoot: join(root, 'images'), registries: {} },
    ...{ program: join(root, 'no-such-crun'), cniConfigDir: join(root, 'net.d'), hasDefaultNetwork: false, logger: silentLogger },
  };
  for (let attempt = 0; attempt < 2; attempt++) await expect(openNodeRuntime(options)).rejects.toThrow('needs the program');
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(root);
  rmSync(root, { recursive: true });
});
