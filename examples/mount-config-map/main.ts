/**
 * Mounts a config map for a plain process: no agent, no runtime, no API server, no root.
 *
 *     node_modules/.bin/tsx examples/mount-config-map/main.ts
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createPodVolumes } from '@nodeagent/volume-plugins/node';

const rootDir = mkdtempSync('/tmp/mount-config-map-');
const getConfigMap = async () => ({ data: { greeting: 'hello world' } });
const volumes = createPodVolumes({ rootDir, sources: { getConfigMap } });

const mounted = await volumes.mount({
  metadata: { name: 'greeter', uid: 'u1' },
  spec: { volumes: [{ name: 'settings', configMap: { name: 'settings' } }] },
});
process.stdout.write(execFileSync('cat', ['greeting'], { cwd: mounted.get('settings')?.hostPath }));

await volumes.unmount('u1');
rmSync(rootDir, { recursive: true });
