import { join, relative } from 'node:path';
import { type Mounter, type MountInfo, type MountRequest, NodeAgentError, type ToolResult } from '@nodeagent/api';
import { isPathWithinBase } from '@nodeagent/api/helpers';
import { mountUtilsErrorCodes } from '../errors.js';
import { mountLogText } from './mount-arguments.js';
import { mountOf } from './mount-info.js';

/** A {@link Mounter} in memory that records its calls, for tests. */
export interface FakeMounter extends Mounter {
  /** The calls, as `mount <arguments>`, `unmount <target>` or a tool and its arguments. */
  readonly calls: string[];
  /** Returns an error to throw before the call has an effect. Default: none. */
  fail?: ((call: string) => Error | undefined) | undefined;
  /** Results of tools. Default: success without output. */
  answer?: ((command: string, args: readonly string[]) => ToolResult) | undefined;
}

export function createFakeMounter(options: { canMount?: boolean; mounts?: MountInfo[] } = {}): FakeMounter {
  const { canMount = true, mounts = [] } = options;
  const table = [...mounts];
  let nextId = 1000;
  let nextGroup = 1;
  const removeAt = (path: string) => {
    const index = table.findLastIndex(({ mountPoint }) => mountPoint === path);
    if (index !== -1) table.splice(index, 1);
  };
  const begin = (call: string) => {
    fake.calls.push(call);
    const failure = fake.fail?.(call);
    if (failure) throw failure;
  };
  const takeEffect = (command: string, args: readonly string[]) => {
    const path = args.at(-1) ?? '';
    if (command === 'umount') removeAt(path);
    if (command !== 'mount' || args[0] !== '--make-rshared') return;
    for (const mount of table) if (isPathWithinBase(mount.mountPoint, path)) mount.optionalFields = [`shared:${nextGroup++}`];
  };
  const fake: FakeMounter = {
    canMount,
    calls: [],
    list: async () => structuredClone(table),
    canRefuseSwap: async () => true,
    async mount(request: MountRequest, signal) {
      if (!canMount)
        throw new NodeAgentError(
          mountUtilsErrorCodes.mountNotPermitted,
          `mounting ${mountLogText(request)} is not permitted: mounting requires root`,
        );
      signal?.throwIfAborted();
      begin(`mount ${mountLogText(request).trim()}`);
      const { source, target, fsType = '', options = [] } = request;
      const id = nextId++;
      const isBind = options.includes('bind');
      const bound = isBind ? mountOf(source, table) : undefined;
      const device = bound
        ? { ...bound, root: join(bound.root, relative(bound.mountPoint, source)) }
        : { major: 0, minor: id, root: isBind ? source : '/', fsType };
      const { major, minor, root } = device;
      table.push({
        id,
        parentId: mountOf(target, table)?.id ?? 1,
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
    async unmount(target, signal) {
      signal?.throwIfAborted();
      begin(`unmount ${target}`);
      removeAt(target);
    },
    async run(command, args, signal) {
      signal?.throwIfAborted();
      begin([command, ...args].join(' '));
      const result = fake.answer?.(command, args) ?? { exitCode: 0, stdout: '', stderr: '' };
      if (result.exitCode === 0) takeEffect(command, args);
      return result;
    },
  };
  return fake;
}
