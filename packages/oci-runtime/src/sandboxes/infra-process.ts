import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unknownError } from '../errors.js';
import type { OciProgram } from '../runtime/oci-program.js';
import { type InfraSpecInput, infraSpec } from '../spec/infra-spec.js';
import type { OciMachine } from '../spec/machine.js';
import { rootOwner, userMappings } from '../spec/namespaces.js';
import { findProcess, type ProcessRef, readPid } from '../state/process-ref.js';

export interface InfraPorts {
  oci: OciProgram;
  machine: OciMachine;
  /** Path of a statically linked init, such as Debian's catatonit; rejects with what to install. */
  init(): Promise<string>;
}

/** Starts the first process of a shared process namespace, which the OCI runtime knows by the ID of the sandbox. */
export async function startInfra(
  folder: string,
  spec: Pick<InfraSpecInput, 'id' | 'sandbox' | 'paths'>,
  ports: InfraPorts,
): Promise<ProcessRef> {
  const bundle = join(folder, 'infra');
  const [rootfs, pidFile] = [join(bundle, 'rootfs'), join(bundle, 'pidfile')];
  const { uid, gid } = rootOwner(userMappings(spec.sandbox.linux?.securityContext?.namespaceOptions ?? {}));
  // crun makes its devices in /dev, but not the folder. Root in a user namespace makes the others.
  mkdirSync(join(rootfs, 'dev'), { recursive: true });
  for (const path of [rootfs, join(rootfs, 'dev')]) chownSync(path, uid, gid);
  const config = infraSpec({ ...spec, rootfs, init: await ports.init(), machine: ports.machine });
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  await ports.oci.runDetached(spec.id, bundle, pidFile);
  const process = findProcess(readPid(pidFile));
  if (process === undefined) throw unknownError(`the first process of sandbox "${spec.id}" has exited at once`);
  return process;
}
