import { join } from 'node:path';
import type { Logger } from '@nodeagent/api';
import { removeTree } from '@nodeagent/api/files';
import { failedPrecondition } from '../errors.js';
import type { OciMachine } from '../spec/machine.js';
import type { RecordedProgram } from '../state/records.js';
import type { OciProgram } from './oci-program.js';
import type { RuntimeHandler } from './runtime-handler.js';

interface RemovedHandlerPorts {
  open(program: RecordedProgram): Promise<RuntimeHandler>;
  /** Facts for a handler without a program. */
  machine: OciMachine;
  logger: Logger;
}

/**
 * The handler of pods that was removed from the options. Its program ends them; without it the state of their containers is removed, while
 * signals and cgroups end the processes. Never rejects.
 *
 * @param program - undefined if the pods do not have it in their records
 */
export async function openRemovedHandler(
  name: string,
  program: RecordedProgram | undefined,
  { open, machine, logger }: RemovedHandlerPorts,
): Promise<RuntimeHandler> {
  const missing = missingProgram(name, program);
  try {
    if (program === undefined) throw new Error('its pods have no record of its program');
    const handler = await open(program);
    logger.warn({ runtimeHandler: name, path: program.path }, 'pods have a runtime handler that is not configured');
    const state = (id: string) => handler.oci.state(id).catch(() => undefined);
    const remove = (id: string) => handler.oci.remove(id).catch(() => missing.remove(id));
    return { ...handler, oci: { ...handler.oci, state, remove } };
  } catch (err) {
    logger.warn({ runtimeHandler: name, path: program?.path, err }, 'pods have a runtime handler that is not configured, and no program');
    return { name, oci: missing, machine, annotations: [], hasNativeProcesses: true, removesCpuQuota: true, canCheckpoint: false };
  }
}

function missingProgram(name: string, program: RecordedProgram | undefined): OciProgram {
  const reject = async () => {
    const message = `no runtime for "${name}" is configured, and the program of its pods cannot be run: ${program?.path ?? 'unknown'}`;
    throw failedPrecondition(message, { hint: 'Remove the pod, or configure the handler again.' });
  };
  return {
    path: program?.path ?? name,
    root: program?.root ?? '',
    systemdCgroup: false,
    version: reject,
    features: reject,
    runDetached: reject,
    start: reject,
    kill: reject,
    update: reject,
    checkpoint: reject,
    state: async () => undefined,
    async remove(id) {
      if (program !== undefined) await removeTree(join(program.root, id));
    },
  };
}
