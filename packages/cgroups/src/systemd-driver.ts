import { NodeAgentError } from '@nodeagent/api';
import { type CgroupName, parseSystemdPath, systemdPath } from '@nodeagent/api/helpers';
import type { CgroupDriver } from './cgroup-driver.js';
import type { RunSystemd } from './cgroup-files.js';
import { cgroupsErrorCodes } from './errors.js';
import { isSystemdPath } from './systemd-path.js';
import { newSliceProperties, type SystemdProperty, systemdProperties } from './systemd-properties.js';

/** The unit of systemd that is a cgroup: the last element of its path. */
const sliceOf = (name: CgroupName) => systemdPath(name).split('/').at(-1) ?? '';
const parentSliceOf = (name: CgroupName) => (name.length > 1 ? sliceOf(name.slice(0, -1)) : '-.slice');

/**
 * The driver `systemd`: each cgroup is a transient slice, so that systemd knows its limits and leaves it alone. `org.freedesktop.systemd1(5)`.
 */
export function createSystemdDriver(run: RunSystemd): CgroupDriver {
  const call = (method: string, signature: string, args: readonly string[]) =>
    run('busctl', ['call', '--quiet', `--timeout=${timeoutSeconds}`, service, object, `${service}.Manager`, method, signature, ...args]);
  return {
    path: systemdPath,
    parse: (path) => (isSystemdPath(path) ? parseSystemdPath(path) : []),
    async create(name, resources, { version }) {
      if (name.length === 0) return;
      const slice = sliceOf(name);
      const properties = [
        ...newSliceProperties(version, `kubernetes cgroup ${slice}`, parentSliceOf(name)),
        ...systemdProperties(version, resources),
      ];
      try {
        await call('StartTransientUnit', 'ssa(sv)a(sa(sv))', [slice, 'replace', ...propertyArguments(properties), '0']);
      } catch (error) {
        if (!isUnitExists(error)) throw systemdError('create', slice, error);
      }
      // The call returns before the job ends; starting an active unit does nothing.
      await run('systemctl', ['start', slice]).catch((error) => Promise.reject(systemdError('start', slice, error)));
    },
    async update(name, resources, { version }) {
      const properties = systemdProperties(version, resources);
      if (name.length === 0 || properties.length === 0) return;
      const slice = sliceOf(name);
      try {
        await call('SetUnitProperties', 'sba(sv)', [slice, 'true', ...propertyArguments(properties)]);
      } catch (error) {
        throw systemdError('set the properties of', slice, error);
      }
    },
    async remove(name) {
      if (name.length === 0) return;
      const slice = sliceOf(name);
      try {
        await run('systemctl', ['stop', slice]);
      } catch (error) {
        if (!isNotLoaded(error)) throw systemdError('stop', slice, error);
      }
      // Only a unit that failed needs it; any other is already unknown to systemd.
      await run('systemctl', ['reset-failed', slice]).catch(() => {});
    },
  };
}

const service = 'org.freedesktop.systemd1';
const object = '/org/freedesktop/systemd1';
const timeoutSeconds = 30;

/** As busctl(1) takes an array of (name, variant). */
function propertyArguments(properties: readonly SystemdProperty[]): string[] {
  return [String(properties.length), ...properties.flatMap(({ name, signature, values }) => [name, signature, ...values])];
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const isUnitExists = (error: unknown) => /UnitExists|already (exists|loaded)/.test(textOf(error));
const isNotLoaded = (error: unknown) => /NoSuchUnit|not loaded/.test(textOf(error));

function systemdError(action: string, slice: string, cause: unknown): NodeAgentError {
  return new NodeAgentError(cgroupsErrorCodes.systemdFailed, `failed to ${action} slice "${slice}": ${textOf(cause).trim()}`, {
    cause,
    retryable: true,
    hint: 'The cgroup driver systemd needs systemd as the init process, busctl, systemctl and root. Without them use the driver cgroupfs.',
    details: { slice },
  });
}
