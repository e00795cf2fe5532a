import { isAbsolute, resolve } from 'node:path';
import { invalidOption } from '@nodeagent/api';
import { invalidArgument } from '../errors.js';
import type { RecordedProgram, SandboxRecord } from '../state/records.js';
import { openRemovedHandler } from './removed-handler.js';
import { defaultName, type HandlerPorts, openHandler, type RuntimeHandler, type RuntimeHandlerOptions } from './runtime-handler.js';

export interface RuntimeHandlers {
  /**
   * For a new pod or container.
   *
   * @throws NodeAgentError CRI_INVALID_ARGUMENT if none of this name is configured
   */
  get(name: string | undefined): RuntimeHandler;
  /** That of an existing pod, also if it was removed from the options. Then it ends containers, but its other calls may reject. */
  of(name: string | undefined): RuntimeHandler;
  /** Those of the options. */
  list(): RuntimeHandler[];
  /** Those of the options and of existing pods. */
  all(): RuntimeHandler[];
}

/** A label of DNS: the handler of a RuntimeClass. */
const nameForm = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** @throws NodeAgentError InvalidOption */
export function checkHandlers(handlers: Readonly<Record<string, RuntimeHandlerOptions>>): void {
  for (const [name, { path, root }] of Object.entries(handlers)) {
    if (name !== defaultName && !nameForm.test(name)) throw invalidOption('handlers', 'names that are labels of DNS', name);
    if (!path) throw invalidOption(`handlers["${name}"].path`, 'the path or the name of a program', path);
    if (root !== undefined && (!isAbsolute(root) || resolve(root) === '/')) {
      throw invalidOption(`handlers["${name}"].root`, 'the absolute path of a folder that only this runtime uses', root);
    }
  }
}

/**
 * Finds the programs, and reads what they can do.
 *
 * @param pods - the sandboxes of the previous run, whose handlers may have been removed from the options
 */
export async function openHandlers(
  handlers: Readonly<Record<string, RuntimeHandlerOptions>>,
  pods: readonly SandboxRecord[],
  ports: HandlerPorts,
): Promise<RuntimeHandlers> {
  const configured = new Map<string, RuntimeHandler>();
  for (const [name, options] of Object.entries(handlers)) configured.set(name, await openHandler(name, options, ports));
  const get = (name = defaultName) => {
    const handler = configured.get(name);
    if (handler !== undefined) return handler;
    throw invalidArgument('runtime_handler', `failed to get sandbox runtime: no runtime for "${name}" is configured`);
  };
  const { machine } = get(defaultName);
  const removed = new Map<string, RuntimeHandler>();
  for (const [name, program] of programsOf(pods)) {
    const open = (options: RecordedProgram) => openHandler(name, options, ports);
    if (!configured.has(name)) removed.set(name, await openRemovedHandler(name, program, { open, machine, logger: ports.logger }));
  }
  return {
    get,
    of: (name = defaultName) => removed.get(name) ?? get(name),
    list: () => [...configured.values()],
    all: () => [...configured.values(), ...removed.values()],
  };
}

const programsOf = (pods: readonly SandboxRecord[]) =>
  new Map(pods.map(({ runtimeHandler = defaultName, program }) => [runtimeHandler, program]));
