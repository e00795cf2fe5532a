import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NodeAgentError, requirePositive } from '@nodeagent/api';
import { envtestErrorCodes } from '../errors.js';
import { assetScripts } from './scripts.js';

/** Options of {@link writeAssets}. */
export interface AssetOptions {
  /** The folder. Default: `nodeagent/envtest` in `$XDG_CACHE_HOME`, which is `~/.cache` by default; one folder for each choice of the other options. */
  folder?: string;
  /** Number of nodes, on which pods run. Default: none; pods stay pending, as with envtest. */
  nodes?: number;
  /** Whether a scheduler and the controllers of Deployments and other workloads run. Default: with nodes only. */
  controllers?: boolean;
}

/**
 * Writes a folder for `KUBEBUILDER_ASSETS` with stand-ins of `kube-apiserver`, `etcd` and `kubectl`, or refreshes it, and returns its path. They are
 * scripts that start the programs of this package, so the folder must be written again after the package moved.
 *
 * @throws NodeAgentError `InvalidOption`, and `UnsupportedPlatform` on Windows
 */
export function writeAssets(options: AssetOptions = {}): string {
  const { nodes = 0, controllers = nodes > 0 } = options;
  if (nodes !== 0) requirePositive('nodes', nodes, { integer: true });
  if (process.platform === 'win32') {
    throw new NodeAgentError(envtestErrorCodes.unsupportedPlatform, 'the stand-ins are shell scripts, which Windows does not run', {
      hint: 'use WSL',
    });
  }
  const folder = resolve(options.folder ?? join(cacheFolder(), 'nodeagent', 'envtest', folderName(nodes, controllers)));
  mkdirSync(folder, { recursive: true });
  const scripts = assetScripts({ node: process.execPath, programs: programFolder(), choice: { nodes, controllers } });
  for (const [name, text] of Object.entries(scripts)) writeProgram(join(folder, name), text);
  return folder;
}

const cacheFolder = () => process.env.XDG_CACHE_HOME || join(homedir(), '.cache');

const folderName = (nodes: number, controllers: boolean) => (nodes > 0 ? `nodes-${nodes}` : controllers ? 'controllers' : 'alone');

/** The folder of this module; CommonJS has `__dirname`. */
const programFolder = () => (typeof __dirname === 'string' ? __dirname : fileURLToPath(new URL('.', import.meta.url))).replace(/\/$/, '');

/** Replaces a program at once: a test may be starting it. */
function writeProgram(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  chmodSync(temporary, 0o755);
  renameSync(temporary, path);
}
