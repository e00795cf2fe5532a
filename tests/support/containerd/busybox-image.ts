import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes an OCI image archive of one layer (a static busybox with its applets, /etc/passwd, /etc/group) that runs `command` if the pod
 * names none, and returns its path. `ballastBytes` make it larger, and another image than those of other names.
 */
export function buildBusyboxImage(dir: string, name: string, command: string[], ballastBytes = 0): string {
  const rootfs = join(dir, 'rootfs');
  for (const folder of ['bin', 'etc', 'tmp', 'proc', 'sys', 'dev', 'var/log']) mkdirSync(join(rootfs, folder), { recursive: true });
  copyFileSync('/bin/busybox', join(rootfs, 'bin', 'busybox'));
  const applets = spawnSync('/bin/busybox', ['--list'], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  for (const applet of applets) if (applet !== 'busybox') symlinkSync('busybox', join(rootfs, 'bin', applet));
  writeFileSync(join(rootfs, 'etc', 'passwd'), 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n');
  writeFileSync(join(rootfs, 'etc', 'group'), 'root:x:0:\nnogroup:x:65534:\n');

  if (ballastBytes > 0) writeFileSync(join(rootfs, 'var', 'ballast'), Buffer.alloc(ballastBytes, name));

  const oci = join(dir, 'oci');
  mkdirSync(join(oci, 'blobs', 'sha256'), { recursive: true });
  const store = (content: Buffer) => {
    const digest = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(oci, 'blobs', 'sha256', digest), content);
    return { digest: `sha256:${digest}`, size: content.length };
  };
  const layerFile = join(dir, 'layer.tar');
  tar(['--create', '--file', layerFile, '--owner=0', '--group=0', '--numeric-owner', '--sort=name', '--mtime=@0', '-C', rootfs, '.']);
  const layer = store(readFileSync(layerFile));
  const config = store(
    Buffer.from(
      JSON.stringify({
        architecture: 'amd64',
        os: 'linux',
        config: { Env: ['PATH=/bin'], Cmd: command },
        rootfs: { type: 'layers', diff_ids: [layer.digest] },
      }),
    ),
  );
  const manifest = store(
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
        layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer }],
      }),
    ),
  );
  writeFileSync(join(oci, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  writeFileSync(
    join(oci, 'index.json'),
    JSON.stringify({
      schemaVersion: 2,
      manifests: [
        {
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          ...manifest,
          platform: { architecture: 'amd64', os: 'linux' },
          annotations: { 'io.containerd.image.name': name },
        },
      ],
    }),
  );
  const archive = join(dir, 'image.tar');
  tar(['--create', '--file', archive, '-C', oci, '.']);
  return archive;
}

function tar(args: string[]): void {
  const result = spawnSync('tar', args, { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`tar failed: ${result.stderr}`);
}
