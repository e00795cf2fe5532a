import { join } from 'node:path';
import type { Console } from '../../console.js';
import { badUsage, type Flag, readArguments } from '../../flags.js';
import { defaultRootDir } from '../root-dir-flag.js';

/** Flags of a node that has more than one pod. */
const refused = ['kubeconfig', 'bootstrap-kubeconfig', 'manifest-url', 'port', 'ui', 'shutdown-on-sigterm'];

/**
 * The arguments of `nodeagent run` with the word MANIFEST as `--manifests`, and with the defaults of `--once` before them: a separate folder of
 * state, logs and images, no cgroups of pods and no device plugins, so that it runs beside an agent of the machine, and only warnings.
 */
export function completeArguments(flags: readonly Flag[], args: readonly string[], console: Pick<Console, 'env' | 'isRoot'>): string[] {
  const { values, words } = readArguments(flags, args, 1);
  const [manifest] = words;
  if (manifest !== undefined && values.manifests !== undefined) throw badUsage(`unexpected argument "${manifest}" beside --manifests`);
  const named = manifest === undefined ? [...args] : [...withoutWord(args, manifest), '--manifests', manifest];
  if (values.once !== true) return named;
  if (manifest === undefined && values.manifests === undefined)
    throw badUsage('--once: a manifest is required: nodeagent run POD.yaml --once');
  const conflict = refused.find((name) => isGiven(flags, args, name));
  if (conflict !== undefined) throw badUsage(`--${conflict}: does not apply to --once, which runs one pod`);
  const root = join(defaultRootDir(console), 'once');
  const logs = isGiven(flags, args, 'root-dir') ? [] : ['--pod-logs-dir', join(root, 'logs')];
  return ['--root-dir', root, ...logs, '--cgroups-per-qos=false', '--device-plugins=false', '--log-level', 'warn', ...named];
}

/** Flags may be before and after the word. */
function withoutWord(args: readonly string[], word: string): string[] {
  const at = args.lastIndexOf(word);
  return [...args.slice(0, at), ...args.slice(at + 1)];
}

function isGiven(flags: readonly Flag[], args: readonly string[], name: string): boolean {
  const withoutDefaults = flags.map(({ default: _, ...flag }) => flag);
  return readArguments(withoutDefaults, args, 1).values[name] !== undefined;
}
