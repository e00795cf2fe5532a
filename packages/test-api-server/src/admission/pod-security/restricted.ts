import type { Container, Volume } from '@nodeagent/api';
import { type Check, type CheckedPod, containersOf, mustNot, namesOf, plural, quoted, violation } from './check.js';

const allowedVolumes = ['name', 'configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'];

const restrictedVolumes: Check = ({ spec }) => {
  const typeOf = (volume: Volume) => Object.keys(volume).find((field) => !allowedVolumes.includes(field));
  const wrong = (spec.volumes ?? []).filter(typeOf);
  const types = [...new Set(wrong.map((volume) => typeOf(volume) as string))].sort();
  const [volumes, verb] = [
    plural(
      'volume',
      wrong.map(({ name }) => name),
    ),
    wrong.length === 1 ? 'uses' : 'use',
  ];
  return violation('restricted volume types', wrong.length > 0 && `${volumes} ${verb} restricted volume ${plural('type', types)}`);
};

const allowPrivilegeEscalation: Check = (pod) => {
  const wrong = onLinux(pod).filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  return violation('allowPrivilegeEscalation != false', must(wrong, 'set securityContext.allowPrivilegeEscalation=false'));
};

const capabilities: Check = (pod) => {
  const addedBy = ({ securityContext }: Container) =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => capability !== 'NET_BIND_SERVICE');
  const keeping = onLinux(pod).filter(({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'));
  const adding = onLinux(pod).filter((container) => addedBy(container).length > 0);
  const added = [...new Set(adding.flatMap(addedBy))].sort();
  return violation(
    'unrestricted capabilities',
    must(keeping, 'set securityContext.capabilities.drop=["ALL"]'),
    mustNot(false, adding, `include ${quoted(added)} in securityContext.capabilities.add`),
  );
};

const runAsNonRoot: Check = (pod) => {
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const asRoot = containersOf(pod).filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  const silent = containersOf(pod).filter(({ securityContext }) => typeof securityContext?.runAsNonRoot !== 'boolean');
  return violation(
    'runAsNonRoot != true',
    mustNot(ofPod === false, asRoot, 'set securityContext.runAsNonRoot=false'),
    ofPod === undefined && silent.length > 0 && `pod or ${must(silent, 'set securityContext.runAsNonRoot=true')}`,
  );
};

const runAsUser: Check = (pod) => {
  const asRoot = containersOf(pod).filter(({ securityContext }) => securityContext?.runAsUser === 0);
  return violation('runAsUser=0', mustNot(pod.spec.securityContext?.runAsUser === 0, asRoot, 'set runAsUser=0'));
};

const seccomp: Check = (pod) => {
  const typeOf = (context: object | undefined) => (context as { seccompProfile?: { type?: string } } | undefined)?.seccompProfile?.type;
  const isAllowed = (type: string | undefined) => type === 'RuntimeDefault' || type === 'Localhost';
  const ofPod = typeOf(pod.spec.securityContext);
  const wrong = onLinux(pod).filter(({ securityContext }) => typeOf(securityContext) !== undefined && !isAllowed(typeOf(securityContext)));
  const silent = onLinux(pod).filter(({ securityContext }) => typeOf(securityContext) === undefined);
  const isPodWrong = ofPod !== undefined && !isAllowed(ofPod);
  const types = [
    ...new Set([...(isPodWrong ? [ofPod] : []), ...wrong.map(({ securityContext }) => typeOf(securityContext) as string)]),
  ].sort();
  return violation(
    'seccompProfile',
    mustNot(isPodWrong, wrong, `set securityContext.seccompProfile.type to ${quoted(types)}`),
    ofPod === undefined &&
      silent.length > 0 &&
      `pod or ${must(silent, 'set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"')}`,
  );
};

const must = (containers: readonly Container[], rule: string) => containers.length > 0 && `${namesOf(containers)} must ${rule}`;

/** The containers that rules of Linux bind. */
function onLinux(pod: CheckedPod): readonly Container[] {
  return pod.spec.os?.name === 'windows' ? [] : containersOf(pod);
}

/** The rules that the standard "Restricted" adds to "Baseline", with the minor version from which they hold. */
export const restricted: readonly (readonly [since: number, check: Check])[] = [
  [8, allowPrivilegeEscalation],
  [22, capabilities],
  [0, restrictedVolumes],
  [0, runAsNonRoot],
  [23, runAsUser],
  [19, seccomp],
];
