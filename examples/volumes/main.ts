// Prepares the volumes of a pod for a plain process, as an ordinary user: no agent, no runtime, no API server.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPodVolumes } from '@nodeagent/volume-plugins/node';

const rootDir = mkdtempSync(join(tmpdir(), 'volumes-'));
const settings = { data: { greeting: 'hello' } };
const volumes = createPodVolumes({
  rootDir,
  sources: {
    getConfigMap: async () => settings,
    getSecret: async () => ({ data: { name: Buffer.from('world').toString('base64') } }),
  },
});
const pod = {
  metadata: { name: 'greeter', namespace: 'default', uid: 'u1' },
  spec: {
    volumes: [
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'who', secret: { secretName: 'who' } },
      { name: 'work', emptyDir: {} },
    ],
  },
};

const mounted = await volumes.mount(pod);
const folder = (name: string) => mounted.get(name)?.hostPath ?? '';
const greet = () => {
  const script = 'echo "$(cat greeting) $(cat "$WHO/name")" >> "$WORK/log"; cat "$WORK/log"';
  const env = { ...process.env, WHO: folder('who'), WORK: folder('work') };
  return execFileSync('sh', ['-c', script], { cwd: folder('settings'), env, encoding: 'utf8' });
};
process.stdout.write(greet());

settings.data.greeting = 'good morning';
await volumes.mount(pod);
process.stdout.write(greet());

await volumes.unmount('u1');
rmSync(rootDir, { recursive: true });
