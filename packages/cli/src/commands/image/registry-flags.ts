import { resolve } from 'node:path';
import type { RegistryConfigPaths } from '@nodeagent/image-store';
import { type Flag, type FlagValues, text } from '../../flags.js';

/** Where the registries of the machine are configured. */
export const defaultRegistries = {
  hostsDirectory: '/etc/containerd/certs.d',
  registriesConf: '/etc/containers/registries.conf',
} satisfies RegistryConfigPaths;

export const registryFlags: readonly Flag[] = [
  {
    name: 'hosts-dir',
    value: 'DIR',
    default: defaultRegistries.hostsDirectory,
    help: "mirrors and certificates of registries: containerd's folders with hosts.toml.",
  },
  {
    name: 'registries-conf',
    value: 'FILE',
    default: defaultRegistries.registriesConf,
    help: 'the same as containers-registries.conf(5), for registries without a folder in --hosts-dir.',
  },
];

export const registriesOf = (values: FlagValues): RegistryConfigPaths => ({
  hostsDirectory: resolve(text(values, 'hosts-dir')),
  registriesConf: resolve(text(values, 'registries-conf')),
});
