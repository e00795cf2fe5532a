import { pathToFileURL } from 'node:url';
import { errorMessage } from '@nodeagent/api';
import type { TestCluster } from '@nodeagent/test-cluster';
import { badUsage } from '../flags.js';

/** What a module for `--setup` exports as `setup`: it gives images their programs, containers their scripts, and creates objects. */
export type ClusterSetup = (cluster: TestCluster) => void | Promise<void>;

/** Loads the module of `--setup`. Without a path the setup does nothing. Throws a usage error if the module has no function. */
export async function loadClusterSetup(path: string | undefined): Promise<ClusterSetup> {
  if (path === undefined) return () => {};
  let module: { setup?: unknown };
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    throw badUsage(`--setup: failed to load ${path}: ${errorMessage(error)}`, error);
  }
  if (isSetup(module.setup)) return module.setup;
  throw badUsage(`--setup: ${path} exports no function "setup"`);
}

function isSetup(value: unknown): value is ClusterSetup {
  return typeof value === 'function';
}
