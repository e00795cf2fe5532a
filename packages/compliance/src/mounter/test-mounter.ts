import { type Mounter, type MountInfo, type MountRequest, NodeAgentError, type ToolResult } from '@nodeagent/api';
import type { MounterSubject } from './mounter-suite.js';

const shell = { command: 'sh', args: ['-c', 'echo out; echo err >&2; exit 3'], exitCode: 3, stdout: 'out\n', stderr: 'err\n' };

/** A mounter written from the contract alone: a table of mounts. */
function createTableMounter({ canMount = true, busy = new Set<string>() } = {}): Mounter {
  let table: MountInfo[] = [];
  let nextId = 1;
  const failed = (message: string) => new NodeAgentError('MountFailed', message, { retryable: true });
  const added = ({ source, target, fsType = '', options = [] }: MountRequest): MountInfo => {
    const id = nextId++;
    const isBind = options.includes('bind');
    const device = isBind ? table.findLast(({ mountPoint }) => mountPoint === source) : { major: 0, minor: id, fsType };
    if (device === undefined || (!isBind && fsType !== 'tmpfs')) throw failed(`mount ${target} failed: unknown source or file system`);
    const { major, minor, fsType: type } = device;
    const mount = { id, parentId: 0, major, minor, root: '/', mountPoint: target, options: [...options], optionalFields: [] };
    return { ...mount, fsType: type, source, superOptions: [] };
  };
  return {
    canMount,
    canRefuseSwap: async () => true,
    list: async () => structuredClone(table),
    async mount(request, signal) {
      if (!canMount) throw new NodeAgentError('MountNotPermitted', `mounting ${request.target} is not permitted`);
      signal?.throwIfAborted();
      table.push(added(request));
    },
    async unmount(target, signal) {
      signal?.throwIfAborted();
      if (busy.has(target)) throw failed(`unmount ${target} failed: target is busy`);
      const last = table.findLast(({ mountPoint }) => mountPoint === target);
      table = table.filter((each) => each !== last);
    },
    async run(command, _args, signal): Promise<ToolResult> {
      signal?.throwIfAborted();
      if (command !== shell.command) throw failed(`${command} cannot be run: ENOENT`);
      const { exitCode, stdout, stderr } = shell;
      return { exitCode, stdout, stderr };
    },
  };
}

/** The subject of {@link createTableMounter}, optionally modified by a test. */
export function tableSubject(change: (mounter: Mounter) => Partial<Mounter> = () => ({})): { subject: MounterSubject } {
  const busy = new Set<string>();
  const changed = (mounter: Mounter): Mounter => ({ ...mounter, ...change(mounter) });
  return {
    subject: {
      mounter: changed(createTableMounter({ busy })),
      powerless: changed(createTableMounter({ canMount: false })),
      targets: ['/a', '/b'],
      failing: { source: '//host/share', target: '/a', fsType: 'cifs', sensitiveOptions: ['password=hush'] },
      async keepBusy(target) {
        busy.add(target);
        return { release: async () => void busy.delete(target) };
      },
      tools: { fails: shell, missing: 'no-such-tool' },
    },
  };
}
