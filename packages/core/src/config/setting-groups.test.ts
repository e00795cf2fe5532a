import { kubeletConfigurationFields, setDefaults } from '@nodeagent/kubelet-config';
import { expect, it } from 'vitest';
import { agentOptionsFrom } from '../kubelet-configuration/agent-options-from.js';
import { allSettings } from './setting-groups.js';

const valueAt = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], object);

it('names fields that a KubeletConfiguration has', () => {
  const named = allSettings.flatMap(([, { field }]) => field?.split('.')[0] ?? []);
  expect(named.filter((field) => !Object.hasOwn(kubeletConfigurationFields, field))).toEqual([]);
});

/** Settings with another default than the kubelet's, which their docstrings mention. */
const different = ['agent.settings.cgroupsPerQOS', 'agent.settings.failSwapOn', 'agent.settings.failCgroupV1'];

it('has the defaults of KubeletConfiguration', () => {
  const defaults = agentOptionsFrom(setDefaults({}));
  const others = allSettings.filter(([path, row]) => {
    const converted = valueAt(defaults, path);
    return converted !== undefined && row.default !== undefined && JSON.stringify(converted) !== JSON.stringify(row.default);
  });
  expect(others.map(([path]) => path)).toEqual(different);
});
