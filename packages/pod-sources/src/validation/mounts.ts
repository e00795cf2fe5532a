import type { Container, Volume } from '@nodeagent/api';
import { hasClaim } from '@nodeagent/api/helpers';
import type { FieldProblems } from '../field-problem.js';
import { checkNoBacksteps, checkRelativePath } from './names.js';

/** Mounts and block devices of a container against the pod's volumes. Source: Kubernetes documentation, "Volumes". */
export function checkMounts(field: string, container: Container, volumes: ReadonlyMap<string, Volume>, problems: FieldProblems): void {
  const paths = new Set<string>();
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const place = `${field}.volumeMounts[${index}]`;
    if (!mount.name) problems.required(`${place}.name`);
    else if (!volumes.has(mount.name)) problems.notFound(`${place}.name`, mount.name);
    if (!mount.mountPath) problems.required(`${place}.mountPath`);
    else if (paths.has(mount.mountPath)) problems.invalid(`${place}.mountPath`, mount.mountPath, 'must be unique');
    paths.add(mount.mountPath);
    if (mount.subPath && mount.subPathExpr)
      problems.invalid(`${place}.subPathExpr`, mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive');
    if (mount.subPath) checkRelativePath(`${place}.subPath`, mount.subPath, problems);
    if (mount.subPathExpr) checkRelativePath(`${place}.subPathExpr`, mount.subPathExpr, problems);
    problems.oneOf(`${place}.mountPropagation`, mount.mountPropagation, ['None', 'HostToContainer', 'Bidirectional']);
    if (mount.mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
      problems.forbidden(`${place}.mountPropagation`, 'Bidirectional mount propagation is available only to privileged containers');
    }
    checkRecursiveReadOnly(place, mount, problems);
  }
  checkDevices(field, container, volumes, paths, problems);
}

function checkRecursiveReadOnly(
  place: string,
  mount: { readOnly?: boolean; recursiveReadOnly?: string; mountPropagation?: string },
  problems: FieldProblems,
): void {
  const field = `${place}.recursiveReadOnly`;
  problems.oneOf(field, mount.recursiveReadOnly, ['Disabled', 'IfPossible', 'Enabled']);
  if (mount.recursiveReadOnly !== 'IfPossible' && mount.recursiveReadOnly !== 'Enabled') return;
  if (!mount.readOnly) problems.forbidden(field, 'may only be specified when readOnly is true');
  if ((mount.mountPropagation ?? 'None') !== 'None')
    problems.forbidden(field, 'may only be specified when mountPropagation is None or not specified');
}

function checkDevices(
  field: string,
  container: Container,
  volumes: ReadonlyMap<string, Volume>,
  mountPaths: ReadonlySet<string>,
  problems: FieldProblems,
): void {
  const mounted = new Set(container.volumeMounts?.map(({ name }) => name));
  const paths = new Set<string>();
  const names = new Set<string>();
  for (const [index, { name, devicePath }] of (container.volumeDevices ?? []).entries()) {
    const place = `${field}.volumeDevices[${index}]`;
    const volume = volumes.get(name);
    if (!name) problems.required(`${place}.name`);
    else if (names.has(name) || mounted.has(name)) problems.invalid(`${place}.name`, name, 'must be unique and not be mounted as well');
    else if (volume === undefined) problems.notFound(`${place}.name`, name);
    else if (!hasClaim(volume)) {
      problems.invalid(`${place}.name`, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode');
    }
    names.add(name);
    if (!devicePath) problems.required(`${place}.devicePath`);
    else if (paths.has(devicePath) || mountPaths.has(devicePath)) problems.invalid(`${place}.devicePath`, devicePath, 'must be unique');
    else checkNoBacksteps(`${place}.devicePath`, devicePath, problems);
    paths.add(devicePath);
  }
}
