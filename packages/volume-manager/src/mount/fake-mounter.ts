import { NodeAgentError } from '@nodeagent/api';
import { volumeManagerErrorCodes } from '../errors.js';
import { type MountRequest, mountLogText } from './mount-arguments.js';
import type { MountInfo } from './mount-info.js';
import type { Mounter, ToolResult } from './mounter.js';

/** A {@link Mounter} that mounts nothing and remembers everything, for tests. */
export interface FakeMounter extends Mounter {
  /** What was asked for, as `mount <arguments>`, `unmount <target>` or a tool and its arguments. */
  readonly calls: string[];
  /** Decides on an error before a call has an effect: it is thrown. Default none. */
  fail?: ((call: string) => Error | undefined) | undefined;
  /** What tools answer. Default success without output. */
  answer?: ((command: string, args: readonly string[]) => ToolResult) | undefined;
}

export function createFakeMounter({ canMount = true, mounts = [] as MountInfo[] } = {}): FakeMounter {
  const table = [...mounts];
  let nextId = 1000;
  const begin = (call: string) => {
    fake.calls.push(call);
    const failure = fake.fail?.(call);
    if (failure) throw failure;
  };
  const fake: FakeMounter = {
    canMount,
    calls: [],
    list: async () => [...table],
    canRefuseSwap: async () => true,
    async mount(request: MountRequest) {
      if (!canMount)
        throw new NodeAgentError(
          volumeManagerErrorCodes.mountNotPermitted,
          `mounting ${mountLogText(request)} is not permitted: only root can mount`,
        );
      begin(`mount ${mountLogText(request).trim()}`);
      const { source, target, fsType = '', options = [] } = request;
      const id = nextId++;
      const bound = options.includes('bind') ? table.findLast(({ mountPoint }) => mountPoint === source) : undefined;
      const device = bound ?? { major: 0, minor: id, root: options.includes('bind') ? source : '/', fsType };
      const { major, minor, root } = device;
      table.push({
        id,
        parentId: 1,
        major,
        minor,
        root,
        mountPoint: target,
        options: [...options],
        optionalFields: [],
        fsType: device.fsType,
        source,
        superOptions: [],
      });
    },
    async unmount(target) {
      begin(`unmount ${target}`);
      const index = table.findLastIndex(({ mountPoint }) => mountPoint === target);
      if (index !== -1) table.splice(index, 1);
    },
    async run(command, args) {
      begin([command, ...args].join(' '));
      return fake.answer?.(command, args) ?? { exitCode: 0, stdout: '', stderr: '' };
    },
  };
  return fake;
}
