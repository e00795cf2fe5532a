import { describe, expect, it } from 'vitest';
import { chooseRuntime } from './choose-runtime.js';
import type { RuntimeFacts } from './runtime-facts.js';

const crun = { path: '/usr/bin/crun', title: 'crun 1.14' };
const runc = { path: '/usr/sbin/runc', title: 'runc 1.1.5' };
const programs = {
  conmon: '/usr/bin/conmon',
  unshare: '/usr/bin/unshare',
  nsenter: '/usr/bin/nsenter',
  ip: '/usr/sbin/ip',
};
const complete: RuntimeFacts = {
  platform: 'linux',
  isRoot: true,
  distribution: 'debian',
  ociPrograms: [crun.path, runc.path],
  programs,
  cniPlugins: ['bridge', 'host-local', 'loopback', 'portmap'],
  usesDefaultNetwork: true,
  probes: [crun],
};
const without = (...names: string[]) => Object.fromEntries(Object.entries(programs).filter(([name]) => !names.includes(name)));

const hybrid = { ...crun, problem: 'cgroups in hybrid mode not supported' };
const processes = 'pods run as plain processes, without isolation: ';

describe('the runtime of an agent that names none', () => {
  it.each<[string, Partial<RuntimeFacts>, string]>([
    ['a complete machine', {}, 'pods run in containers of crun 1.14'],
    ['runc only', { ociPrograms: [runc.path], probes: [runc] }, 'pods run in containers of runc 1.1.5'],
    [
      'a crun that refuses the machine',
      { probes: [hybrid, runc] },
      'pods run in containers of runc 1.1.5; crun 1.14 cannot: cgroups in hybrid mode not supported',
    ],
    [
      'a CNI configuration of other plugins',
      { cniPlugins: ['cilium-cni'], usesDefaultNetwork: false },
      'pods run in containers of crun 1.14',
    ],

    ['another system', { platform: 'darwin' }, `${processes}containers need Linux, not darwin`],
    ['an ordinary user', { isRoot: false, probes: [] }, `${processes}containers need root`],
    [
      'an ordinary user without the programs',
      { isRoot: false, programs: without('conmon'), probes: [] },
      `${processes}containers need conmon (as root: apt install conmon)`,
    ],
    [
      'no programs on Debian',
      { ociPrograms: [], programs: {}, cniPlugins: [], probes: [] },
      `${processes}containers need crun or runc, conmon, util-linux, iproute2 and CNI plugins (apt install crun conmon util-linux iproute2 containernetworking-plugins)`,
    ],
    [
      'no programs on Alpine',
      { ociPrograms: [], programs: {}, cniPlugins: [], probes: [], distribution: 'alpine' },
      `${processes}containers need crun or runc, conmon, util-linux, iproute2 and CNI plugins (apk add crun conmon util-linux iproute2 cni-plugins)`,
    ],
    [
      'no programs on Fedora',
      { ociPrograms: [], programs: {}, cniPlugins: [], probes: [], distribution: 'fedora' },
      `${processes}containers need crun or runc, conmon, util-linux, iproute2 and CNI plugins (dnf install crun conmon util-linux iproute containernetworking-plugins)`,
    ],
    [
      'an unknown distribution',
      { programs: without('conmon', 'ip'), probes: [], distribution: undefined },
      `${processes}containers need conmon and iproute2 (install conmon, iproute2)`,
    ],
    [
      'a program of util-linux',
      { programs: without('nsenter'), probes: [] },
      `${processes}containers need util-linux (apt install util-linux)`,
    ],
    [
      'no plugin for addresses',
      { cniPlugins: ['bridge'], probes: [] },
      `${processes}containers need CNI plugins (apt install containernetworking-plugins)`,
    ],
    [
      'a crun that refuses the machine, and no runc',
      { ociPrograms: [crun.path], probes: [hybrid] },
      `${processes}crun 1.14 cannot run containers here: cgroups in hybrid mode not supported (try another OCI runtime: apt install runc)`,
    ],
    [
      'two runtimes that refuse the machine',
      { probes: [hybrid, { ...runc, problem: 'no overlay' }] },
      `${processes}crun 1.14 cannot run containers here: cgroups in hybrid mode not supported; runc 1.1.5 cannot run containers here: no overlay`,
    ],
    [
      'a kubelet',
      { kubeletPid: 7 },
      `${processes}a kubelet, process 7, runs here (for containers beside it: --runtime-endpoint oci and another --cgroup-root)`,
    ],
  ])('on a machine with %s', (_, changes, text) => {
    const choice = chooseRuntime({ ...complete, ...changes });
    expect(choice.text).toBe(text);
    expect(choice.type).toBe(text.startsWith(processes) ? 'process' : 'oci');
  });

  it('is the first program that runs containers', () => {
    expect(chooseRuntime({ ...complete, probes: [hybrid, runc] })).toMatchObject({ type: 'oci', program: runc.path, title: 'runc 1.1.5' });
  });
});
