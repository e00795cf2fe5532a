import type { ProjectedVolumeSource, VolumeProjection } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkFilePath, checkFiles, checkItems } from './check-volume-items.js';

type Kind = keyof VolumeProjection;

const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

/** The sources of a projected volume. Source: Kubernetes documentation, "Projected Volumes". */
export function checkProjections(
  field: string,
  { sources = [] }: ProjectedVolumeSource,
  hasServiceAccount: boolean,
  problems: FieldProblems,
): void {
  const paths = new Set<string>();
  for (const [index, projection] of sources.entries()) {
    const place = `${field}[${index}]`;
    const [first, ...more] = Object.keys(projection) as Kind[];
    if (first === undefined) problems.required(place);
    for (const kind of more) problems.forbidden(`${place}.${kind}`, 'may not specify more than 1 volume type');
    checkProjection(place, projection, hasServiceAccount, problems);
    for (const path of pathsOf(projection)) {
      if (paths.has(path)) problems.invalid(place, path, 'conflicting duplicate paths');
      paths.add(path);
    }
  }
}

function checkProjection(place: string, projection: VolumeProjection, hasServiceAccount: boolean, problems: FieldProblems): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = projection;
  for (const [kind, source] of Object.entries({ secret, configMap })) {
    if (source === undefined) continue;
    if (!source.name) problems.required(`${place}.${kind}.name`);
    checkItems(`${place}.${kind}.items`, source.items, problems);
  }
  checkFiles(`${place}.downwardAPI.items`, downwardAPI?.items, problems);
  if (serviceAccountToken) {
    const { expirationSeconds = 3600, path } = serviceAccountToken;
    const token = `${place}.serviceAccountToken`;
    if (!hasServiceAccount) problems.forbidden(token, 'must not be specified when serviceAccountName is not set');
    if (expirationSeconds < minTokenSeconds)
      problems.invalid(`${token}.expirationSeconds`, expirationSeconds, 'may not specify a duration less than 10 minutes');
    if (expirationSeconds > maxTokenSeconds)
      problems.invalid(`${token}.expirationSeconds`, expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
    checkFilePath(`${token}.path`, path, problems);
  }
  if (clusterTrustBundle) {
    const { name, signerName, path } = clusterTrustBundle;
    const bundle = `${place}.clusterTrustBundle`;
    if (name && signerName) problems.invalid(bundle, name, 'only one of name and signerName may be used');
    else if (!name && !signerName) problems.required(bundle, 'either name or signerName must be specified');
    checkFilePath(`${bundle}.path`, path, problems);
  }
  if (podCertificate) {
    for (const name of ['signerName', 'keyType'] as const) if (!podCertificate[name]) problems.required(`${place}.podCertificate.${name}`);
  }
}

function pathsOf({ secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle }: VolumeProjection): string[] {
  const items = [...(secret?.items ?? []), ...(configMap?.items ?? []), ...(downwardAPI?.items ?? [])];
  return [...items, serviceAccountToken, clusterTrustBundle].flatMap((item) => (item?.path ? [item.path] : []));
}
