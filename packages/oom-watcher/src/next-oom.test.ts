import { describe, expect, it } from 'vitest';
import { isSystemOom, nextOom, type Oom, type OomState, systemOomMessage } from './next-oom.js';

/** The OOM kills that a log reports. */
function oomsOf(log: string): Oom[] {
  const ooms: Oom[] = [];
  let state: OomState;
  for (const line of log.trim().split('\n')) {
    const next = nextOom(state, line);
    state = next.state;
    if (next.oom) ooms.push(next.oom);
  }
  return ooms;
}

const container = '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1f.slice/cri-containerd-ab.scope';
const modernContainer = `
stress invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=999
CPU: 1 PID: 4242 Comm: stress Not tainted 6.1.0-18-amd64 #1 Debian 6.1.76-1
memory: usage 65536kB, limit 65536kB, failcnt 31
oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-containerd-ab.scope,mems_allowed=0,oom_memcg=${container},task_memcg=${container},task=stress,pid=4242,uid=0
Memory cgroup out of memory: Killed process 4242 (stress) total-vm:135180kB, anon-rss:64944kB, file-rss:264kB, shmem-rss:0kB, UID:0 pgtables:176kB oom_score_adj:999
`;
const modernSystem = `
postgres invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0
oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/system.slice/hog.service,task=memory, hog,pid=77,uid=1000
Out of memory: Killed process 77 (memory, hog) total-vm:8000000kB, anon-rss:7000000kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:14000kB oom_score_adj:0
`;
const oldContainer = `
ruby invoked oom-killer: gfp_mask=0x24000c0, order=0, oom_score_adj=0
Task in /kubepods/burstable/pod1f/ab killed as a result of limit of /kubepods/burstable/pod1f
memory: usage 10240kB, limit 10240kB, failcnt 12
Memory cgroup out of memory: Kill process 900 (ruby) score 1000 or sacrifice child
Killed process 900 (ruby) total-vm:20000kB, anon-rss:9000kB, file-rss:0kB
`;
const oldSystem = `
java invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0
Out of memory: Kill process 901 (java) score 850 or sacrifice child
Killed process 901 (java) total-vm:9000000kB, anon-rss:8000000kB, file-rss:0kB
`;

describe('nextOom', () => {
  it.each([
    [
      'a container on kernel 4.19 or later',
      modernContainer,
      { limitCgroup: container, victimCgroup: container, processName: 'stress', pid: 4242 },
    ],
    [
      'the system on kernel 4.19 or later',
      modernSystem,
      { limitCgroup: '/', victimCgroup: '/system.slice/hog.service', processName: 'memory, hog', pid: 77 },
    ],
    [
      'a container on a kernel before 4.19',
      oldContainer,
      { limitCgroup: '/kubepods/burstable/pod1f', victimCgroup: '/kubepods/burstable/pod1f/ab', processName: 'ruby', pid: 900 },
    ],
    ['the system on a kernel before 4.19', oldSystem, { limitCgroup: '/', victimCgroup: '/', processName: 'java', pid: 901 }],
  ])('reads a kill of %s', (_, log, oom) => {
    expect(oomsOf(log)).toEqual([oom]);
  });

  it('reports each of several kills once', () => {
    const ooms = oomsOf([oldSystem, modernContainer, modernSystem, oldContainer].map((log) => log.trim()).join('\nusb 1-1: new device\n'));
    expect(ooms.map(({ pid }) => pid)).toEqual([901, 4242, 77, 900]);
    expect(ooms.map(isSystemOom)).toEqual([true, false, true, false]);
  });

  it('ignores a kill without its first line, and drops an incomplete one when the next starts', () => {
    expect(oomsOf('Killed process 5 (x) total-vm:1kB\nsystemd: started')).toEqual([]);
    const cut = oldContainer.trim().split('\n').slice(0, 2).join('\n');
    expect(oomsOf(`${cut}\n${oldSystem.trim()}`)).toMatchObject([{ limitCgroup: '/', pid: 901 }]);
  });
});

it('words the event as the kubelet does', () => {
  expect(systemOomMessage({ limitCgroup: '/', victimCgroup: '/', processName: 'java', pid: 901 })).toBe(
    'System OOM encountered, victim process: java, pid: 901',
  );
  expect(systemOomMessage({ limitCgroup: '/', victimCgroup: '/' })).toBe('System OOM encountered');
});
