import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Scenario } from './job.js';

/** Imports a scenario. Throws an Error with a message for the user. */
export async function loadScenario(path: string): Promise<Scenario> {
  const module = (await import(pathToFileURL(resolve(path)).href)) as Partial<Scenario>;
  const { setup, options } = module;
  if (typeof setup !== 'function') throw new Error(`${path} does not export "setup", a function that creates what is there at the start`);
  if (typeof options?.controller !== 'function') throw new Error(`${path} does not export "options" with a "controller"`);
  return { setup, options };
}
