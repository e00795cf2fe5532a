import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { arch, release } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { errorMessage, systemClock } from '@nodeagent/api';
import { fileSystemUsage } from '@nodeagent/api/files';
import { chooseNetworks } from '@nodeagent/cni/decisions';
import { defaultCniConfigDir, defaultCniPluginDirs, namesIn } from '../machine/cni-folders.js';
import { findPrograms, rootPath } from '../machine/find-programs.js';
import { type RuntimeFactsOptions, readRuntimeFacts } from '../machine/read-runtime-facts.js';
import type { DoctorFacts } from './doctor-facts.js';
import {
  cgroupMounts,
  fileSystemsOf,
  fileSystemType,
  listeningPorts,
  parseKernel,
  parseMountinfo,
  swapBytes,
  versionOf,
} from './parse-machine.js';

const furtherPrograms = ['catatonit', 'socat', 'iptables'];
const sysctls = ['user/max_user_namespaces', 'fs/inotify/max_user_instances', 'fs/inotify/max_user_watches'];
/** The kernel cuts names of processes after 15 characters. */
const timeServices = ['chronyd', 'ntpd', 'systemd-timesyn', 'ptp4l', 'openntpd'];
const timeoutMs = 5_000;

/** Reads all facts, and changes nothing. */
export async function readDoctorFacts(rootDir: string, options: RuntimeFactsOptions): Promise<DoctorFacts> {
  const facts = await readRuntimeFacts(options);
  const programs = { ...facts.programs, ...findPrograms(furtherPrograms, rootPath(options)) };
  const mounts = parseMountinfo(textOf('/proc/self/mountinfo'));
  const folder = existingFolder(rootDir);
  const usage = await fileSystemUsage(folder);
  return {
    ...facts,
    programs,
    kernel: parseKernel(release()),
    architecture: arch(),
    versions: await versionsOf({ ...programs, ...Object.fromEntries(facts.ociPrograms.map((path) => [basename(path), path])) }),
    cgroups: cgroupMounts(mounts, (path) => textOf(join(path, 'cgroup.controllers'))),
    networks: networksIn(options.cniConfigDir ?? defaultCniConfigDir),
    cniPluginDirs: (options.cniPluginDirs ?? defaultCniPluginDirs).filter((path) => namesIn(path).length > 0),
    fileSystems: fileSystemsOf(textOf('/proc/filesystems')),
    storage: {
      path: folder,
      type: fileSystemType(mounts, folder),
      availableBytes: Number(usage.availableBytes),
      totalBytes: Number(usage.capacityBytes),
      availableInodes: Number(usage.inodesFree),
      totalInodes: Number(usage.inodes),
    },
    hasSeccomp: /^Seccomp:/m.test(textOf('/proc/self/status')),
    securityModules: [
      ...(textOf('/sys/module/apparmor/parameters/enabled').startsWith('Y') ? ['AppArmor'] : []),
      ...(existsSync('/sys/fs/selinux/enforce') ? ['SELinux'] : []),
    ],
    sysctls: Object.fromEntries(sysctls.flatMap((name) => numberIn(name))),
    ports: ['tcp', 'tcp6'].flatMap((name) => listeningPorts(textOf(join('/proc/net', name)))),
    swapBytes: swapBytes(textOf('/proc/swaps')),
    clock: { now: systemClock.now(), services: runningPrograms(timeServices) },
  };
}

/** The folder, or the nearest one above it that exists. */
export const existingFolder = (path: string): string => (existsSync(path) ? path : existingFolder(dirname(path)));

function networksIn(folder: string): DoctorFacts['networks'] {
  const files = namesIn(folder).map((name) => ({ name, text: textOf(join(folder, name)) }));
  const { networks, problems } = chooseNetworks({ files, dropIns: () => [] });
  return [
    ...networks.map(({ name }) => ({ file: `network ${name} in ${folder}` })),
    ...problems.map(({ file, error }) => ({ file, problem: errorMessage(error) })),
  ];
}

async function versionsOf(programs: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const found = await Promise.all(
    Object.entries(programs).map(async ([name, path]) => [name, await versionOfProgram(name, path)] as const),
  );
  return Object.fromEntries(found.flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])));
}

/** Undefined if the program fails, or does not end. */
function versionOfProgram(name: string, path: string): Promise<string | undefined> {
  const flag = ['ip', 'socat'].includes(name) ? '-V' : '--version';
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL', env: { LC_ALL: 'C', PATH: process.env.PATH } } as const;
    const child = execFile(path, [flag], options, (error, stdout) => resolve(error ? undefined : versionOf(stdout)));
    child.stdin?.end();
  });
}

function runningPrograms(names: readonly string[]): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const running = new Set(pids.map((pid) => textOf(join('/proc', pid, 'comm')).trim()));
  return names.filter((name) => running.has(name));
}

function numberIn(name: string): [string, number][] {
  const text = textOf(join('/proc/sys', name)).trim();
  return text === '' ? [] : [[name, Number(text)]];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
