import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeCni } from '@nodeagent/cni/node';
import { type CriServer, serveCri } from '@nodeagent/cri-client';
import { type OciImageStore, openImageStore } from '@nodeagent/image-store';
import { createOciRuntime, type OciRuntime } from '@nodeagent/oci-runtime';
import { buildBusyboxImage } from '../containerd/busybox-image.js';
import { makePrivateFolder } from '../runtimes/private-folder.js';
import { type PrivateRuntime, type RuntimeOptions, testImage } from '../runtimes/private-runtime.js';
import { writeUsableCrun } from './usable-crun.js';

/** The OCI runtime of nodeagent in this process, served on a socket: on crun, or on the program that `NODEAGENT_E2E_OCI_RUNTIME` names. */
export async function startOciRuntime(options: RuntimeOptions = {}): Promise<PrivateRuntime> {
  const { work, network, release } = await makePrivateFolder(options);
  const socket = join(work, 'oci.sock');
  const program = process.env.NODEAGENT_E2E_OCI_RUNTIME ?? writeUsableCrun(work);
  let running: { runtime: OciRuntime; images: OciImageStore; server: CriServer } | undefined;

  async function importImage(name: string, ballastBytes?: number): Promise<void> {
    const folder = mkdtempSync(join(work, 'image-'));
    await running?.images.import(createReadStream(buildBusyboxImage(folder, name, ['sh'], ballastBytes)));
    // As a pull does.
    await running?.images.unpack(name);
    rmSync(folder, { recursive: true });
  }
  const oci: PrivateRuntime = {
    name: 'oci',
    endpoint: `unix://${socket}`,
    cdiFolder: join(work, 'cdi'),
    addImage: importImage,
    async start() {
      let images: OciImageStore | undefined;
      const runtime = createOciRuntime({
        root: join(work, 'root'),
        runtime: program,
        cdiSpecDirs: [oci.cdiFolder],
        cni: createNodeCni({ configDir: network, pluginDirs: ['/usr/lib/cni'], cacheDir: join(work, 'cache') }),
        images: async (where) => (images = await openImageStore(where)),
      });
      await runtime.start();
      if (images === undefined) throw new Error('the runtime has opened no images');
      running = { runtime, images, server: await serveCri(runtime, { socket, gracePeriodMs: 0 }) };
    },
    async stop() {
      const stopped = running;
      running = undefined;
      await stopped?.server.close();
      await stopped?.runtime.stop();
    },
    async cleanup() {
      await oci.stop();
      await release();
    },
  };
  await oci.start();
  await oci.addImage(testImage);
  return oci;
}
