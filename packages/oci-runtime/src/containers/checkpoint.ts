import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { removeTree } from '@nodeagent/api/files';
import { failedPrecondition, invalidArgument, unimplemented } from '../errors.js';
import { type RunProgram, runOrThrow } from '../programs.js';
import type { RuntimeHandler } from '../runtime/runtime-handler.js';
import type { ContainerRecord } from '../state/records.js';

export interface CheckpointRequest {
  /** A running container. */
  record: ContainerRecord;
  /** Its folder with the config.json. */
  bundle: string;
  /** Absolute path of the archive. */
  location: string;
  /** 0 for the default, two minutes. */
  timeoutMs: number;
}

export interface CheckpointPorts {
  handler: RuntimeHandler;
  run: RunProgram;
  /** The path of a program; rejects with what to install. */
  findProgram(program: string): Promise<string>;
}

const defaultTimeoutMs = 120_000;

/**
 * Writes the state of a running container, which continues, to an archive with the names that Podman and CRI-O have for forensic analysis, as
 * checkpointctl(1) reads them: the images of CRIU in `checkpoint/`, its log, and what was requested. The archive holds the memory of the
 * container, so only its owner can read it.
 */
export async function checkpointContainer(
  { record, bundle, location, timeoutMs }: CheckpointRequest,
  ports: CheckpointPorts,
): Promise<void> {
  const { handler, run, findProgram } = ports;
  checkLocation(location);
  if (!handler.canCheckpoint) throw unimplemented('CheckpointContainer', `${handler.oci.path} is built without CRIU; use runc`);
  await findProgram('criu').catch((cause) => {
    throw failedPrecondition('checkpoints need the program criu, which is not in PATH', { cause, hint: 'Install it: apt install criu' });
  });
  const folder = join(bundle, 'checkpoint-archive');
  const [images, work] = [join(folder, 'checkpoint'), join(bundle, 'checkpoint-work')];
  await Promise.all([folder, work].map(removeTree));
  for (const path of [images, work]) mkdirSync(path, { recursive: true, mode: 0o700 });
  try {
    await handler.oci.checkpoint(record.id, { images, work }, timeoutMs || defaultTimeoutMs);
    if (existsSync(join(work, 'dump.log'))) copyFileSync(join(work, 'dump.log'), join(folder, 'dump.log'));
    copyFileSync(join(bundle, 'config.json'), join(folder, 'spec.dump'));
    writeFileSync(join(folder, 'config.dump'), JSON.stringify(descriptionOf(record, handler)));
    // Before the program writes to it, so that it keeps the mode.
    writeFileSync(location, '', { mode: 0o600 });
    await runOrThrow(run, 'tar', ['--create', '--file', location, '--directory', folder, '.'], { timeoutMs: defaultTimeoutMs });
  } catch (error) {
    rmSync(location, { force: true });
    throw error;
  } finally {
    await Promise.all([folder, work].map(removeTree));
  }
}

function checkLocation(location: string): void {
  if (!isAbsolute(location)) throw invalidArgument('location', `"${location}" is not an absolute path`);
  if (!existsSync(dirname(location))) throw invalidArgument('location', `the folder of "${location}" does not exist`);
}

/** The members of config.dump that checkpointctl(1) shows. */
const descriptionOf = ({ id, config, imageRef, createdAt }: ContainerRecord, { oci }: RuntimeHandler) => ({
  id,
  name: config.metadata?.name ?? '',
  rootfsImage: imageRef,
  rootfsImageName: config.image?.userSpecifiedImage || config.image?.image || '',
  runtime: oci.path,
  createdTime: new Date(Number(createdAt / 1_000_000n)).toISOString(),
});
