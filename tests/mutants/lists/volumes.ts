import { type Mutant, mutantsOf } from '../mutant.js';

/** Mutants of the packages for volumes and plugins. */
export const volumeMutants: readonly Mutant[] = [
  ...mutantsOf(
    'csi',
    [
      'final-errors-are-open',
      'driver-errors.ts',
      'return status !== undefined && !openStatuses.has(status);',
      'return status !== undefined;',
    ],
    ['other-nodes-object-is-ours', 'node-objects.ts', ' && uid !== node.metadata?.uid', ''],
  ),
  ...mutantsOf(
    'mount-utils',
    ['links-count-twice', 'files/disk-usage.ts', "if (nlink > 1n && kind !== 'folder') {", "if (nlink > 9n && kind !== 'folder') {"],
    ['owner-is-right-despite-modes', 'files/volume-ownership.ts', ' || (root.mode & wanted) !== wanted', ''],
  ),
  ...mutantsOf('object-store', [
    'unknown-object-is-registered',
    'cached-objects.ts',
    'if (fetched === undefined) throw objectNotRegistered(namespace, name);',
    '',
  ]),
  ...mutantsOf('protobuf', [
    'number-without-an-end',
    'reader.ts',
    "if (byte === undefined) throw new RangeError('the message ends within a number');",
    'if (byte === undefined) return 0;',
  ]),
  ...mutantsOf('plugin-manager', [
    'same-failure-is-logged-again',
    'plugin-folder.ts',
    'if (this.#previous.failures.get(failed) === cause) return;',
    '',
  ]),
  ...mutantsOf(
    'volume-manager',
    [
      'unmounts-before-the-node-is-known',
      'reconciler/reconciler.ts',
      'hasAddedPods() && awaitingNodeStatus.size === 0;',
      'hasAddedPods();',
    ],
    [
      'unmounts-before-the-pods-are-known',
      'reconciler/reconciler.ts',
      'hasAddedPods() && awaitingNodeStatus.size === 0;',
      'awaitingNodeStatus.size === 0;',
    ],
    ['recursive-label', 'selinux/mount-label.ts', "if (seLinuxChangePolicy === 'Recursive') return '';", ''],
    [
      'unmounts-devices-before-the-node-is-known',
      'reconciler/reconciler.ts',
      '      if (mayUnmount) {\n        executeAll(devices',
      '      if (hasAddedPods()) {\n        executeAll(devices',
    ],
  ),
  ...mutantsOf(
    'volume-plugins',
    [
      'links-before-the-files',
      'atomic-writer/atomic-writer.ts',
      '    await switchTo(files, target, path);',
      '    await linkForUsers(files, target, payload);\n    await switchTo(files, target, path);',
    ],
    [
      'current-files-are-removed',
      'atomic-writer/atomic-writer.ts',
      'if (old !== undefined && (await currentFolder(files, target)) !== old)',
      'if (old !== undefined)',
    ],
    ['long-names', 'atomic-writer/validate-path.ts', 'utf8Length(element) > maxNameLength', 'element.length > maxNameLength'],
    [
      'permissions-after-the-switch',
      'atomic-writer/atomic-writer.ts',
      '    await setPermissions?.();\n    await switchTo(files, target, path);',
      '    await switchTo(files, target, path);\n    await setPermissions?.();',
    ],
  ),
];
