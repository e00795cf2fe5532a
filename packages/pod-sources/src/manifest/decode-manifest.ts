import type { NodeAgentError, Pod } from '@nodeagent/api';
import { configMirrorAnnotation, isMirrorPod, isObject, podFullName } from '@nodeagent/api/helpers';
import { readScalars } from '@nodeagent/yaml';
import { podSourcesErrorCodes as codes, requireText } from '../errors.js';
import { createFieldProblems, type FieldProblem } from '../field-problem.js';
import { validatePod } from '../validation/pod.js';
import { checkTypes, describeValue, type TypeReport } from './check-types.js';
import { applyApiDefaults } from './defaults.js';
import { expandDocument, expandPodList, type ObjectText } from './expand-document.js';
import { decodeLocalObject, type LocalObject, localKind } from './local-object.js';
import { type ManifestPlace, manifestError, oneLine, placePrefix } from './manifest-error.js';
import { parseText, type TextDocument } from './parse-text.js';
import { podSchema } from './pod-schema.js';
import { findApiReference } from './references.js';
import { applyStaticPodDefaults, type ManifestOrigin, staticPodUid } from './static-pod.js';

/** One document of a manifest: a pod, an object for pods, or an error. */
export type ManifestDocument = DecodedDocument | ObjectDocument | RefusedDocument;

export interface DecodeManifestOptions {
  /**
   * Whether a standalone agent serves ConfigMaps and Secrets of manifests: then a manifest may have them, pods may refer to them, and a `List` and
   * a `Deployment` are accepted too. Default false, as in a kubelet.
   */
  localObjects?: boolean;
}

interface AnyDocument {
  /** Its number in the file, from 1. */
  document: number;
  /** One line each for unknown fields and duplicate keys, which are ignored as in the kubelet. */
  warnings: string[];
}

export interface DecodedDocument extends AnyDocument {
  pod: Pod;
  object?: undefined;
  error?: undefined;
}

/** With {@link DecodeManifestOptions.localObjects}. */
export interface ObjectDocument extends AnyDocument {
  object: LocalObject;
  pod?: undefined;
  error?: undefined;
}

export interface RefusedDocument extends AnyDocument {
  /** Code `NotAPod`, `InvalidManifest` or `StaticPodReference`; the message is one line, the details are {@link ManifestErrorDetails}. */
  error: NodeAgentError;
  /** `<name>_<namespace>` of the pod, if the document is readable enough to determine it. */
  fullName?: string;
  pod?: undefined;
  object?: undefined;
}

/**
 * The static pods that a YAML or JSON text describes, each document one: types checked, API defaults and static pod defaults filled in,
 * validated as the API server validates a new pod, without references to API objects. From a URL it may also be a `PodList`, each item a
 * document of the answer; any other text has at least one there.
 * Never rejects; what is wrong stands in the documents. Source: Kubernetes documentation, "Create static Pods".
 */
export async function decodeManifest(
  text: string,
  origin: ManifestOrigin,
  { localObjects = false }: DecodeManifestOptions = {},
): Promise<ManifestDocument[]> {
  requireText('nodeName', origin.nodeName);
  const file = origin.source === 'file' ? origin.file : origin.url;
  requireText(origin.source === 'file' ? 'file' : 'url', file);
  const documents = await parseText(text);
  if (documents.length === 0) {
    const error = manifestError(codes.notAPod, { file }, [
      { field: '', problem: 'the file is empty', hint: 'delete the file to remove its pods' },
    ]);
    return [{ document: 1, warnings: [], error }];
  }
  const several = documents.length > 1 || documents.some(({ document }) => document > 1);
  const expand = localObjects ? expandDocument : origin.source === 'http' ? expandPodList : (document: TextDocument) => [document];
  const objects: ObjectText[] = documents.flatMap(expand);
  const decode = (written: Written) =>
    objects.map((each) => {
      const place = { file, document: several ? each.document : undefined };
      const writtenAt: TypeReport['written'] = (field) => written(each.document, [...(each.at ?? []), ...pathOf(field)]);
      const kind = localObjects && each.problem === undefined ? localKind(each.value) : undefined;
      return kind ? decodeObject(each, kind, place, writtenAt) : decodePod(each, place, { origin, localObjects, written: writtenAt });
    });
  const decoded = decode(() => undefined);
  // Errors show numbers as they are written, which only the text knows.
  return decoded.some(({ error }) => error?.code === codes.notAPod) ? decode(await readScalars(text)) : decoded;
}

type Written = Awaited<ReturnType<typeof readScalars>>;

const inPlaceOf = (place: ManifestPlace) => (warnings: readonly string[]) =>
  warnings.map((warning) => `${placePrefix(place)}${oneLine(warning)}`);

function decodeObject(
  { document, value, warnings: given }: TextDocument,
  kind: LocalObject['kind'],
  place: ManifestPlace,
  written: TypeReport['written'],
): ManifestDocument {
  const { object, problems, warnings: found } = decodeLocalObject(value, kind, written);
  const warnings = inPlaceOf(place)([...given, ...found]);
  const [first, ...more] = problems;
  if (object !== undefined) return { document, warnings, object };
  const problem = first ?? { field: '', problem: `no ${kind}` };
  return { document, warnings, error: manifestError(codes.invalidManifest, place, [problem, ...more]) };
}

/** What decides how a pod is decoded. */
interface PodDecoding {
  origin: ManifestOrigin;
  localObjects: boolean;
  written: TypeReport['written'];
}

function decodePod(text: TextDocument, place: ManifestPlace, { origin, localObjects, written }: PodDecoding): ManifestDocument {
  const { document } = text;
  const inPlace = inPlaceOf(place);
  if (text.problem) return { document, warnings: [], error: manifestError(codes.notAPod, place, [text.problem]) };

  const unfit = kindProblem(text.value, localObjects);
  if (unfit) return { document, warnings: inPlace(text.warnings), error: manifestError(codes.notAPod, place, [unfit]) };

  const report = { problems: createFieldProblems(), warnings: [...text.warnings], written };
  const { apiVersion: _, kind: __, ...pod } = withoutDeletion(checkTypes(text.value, podSchema, '', report) as Pod, report.warnings);
  const warnings = inPlace(report.warnings);
  const refuse = (code: RefusalCode, [first, ...more]: readonly FieldProblem[]): RefusedDocument | undefined => {
    if (first === undefined) return undefined;
    const fullName = nameOf(text.value, origin);
    return { document, warnings, error: manifestError(code, place, [first, ...more]), ...(fullName !== undefined && { fullName }) };
  };
  if (report.problems.list.length > 0) return refuse(codes.notAPod, report.problems.list) as RefusedDocument;
  const nameless = pod.metadata?.name ? [] : [{ field: 'metadata.name', problem: 'invalid pod: name is needed for the pod' }];
  const refusal = refuse(codes.invalidManifest, [...nameless, ...(isMirrorPod(pod) ? [mirrored] : [])]);
  if (refusal) return refusal;

  const uid = pod.metadata?.uid || staticPodUid(pod, origin);
  applyApiDefaults(pod);
  applyStaticPodDefaults(pod, uid, origin);
  const reference = findApiReference(pod, localObjects ? ['secrets', 'configmaps'] : []);
  return (
    refuse(codes.invalidManifest, validatePod(pod)) ??
    refuse(codes.staticPodReference, reference ? [reference] : []) ?? { document, warnings, pod }
  );
}

/** The keys and indexes of a field such as `spec.containers[0].image`. */
function pathOf(field: string): string[] {
  return [...field.matchAll(/\[([^\]]*)\]|[^.[]+/g)].map(([step, inBrackets]) => inBrackets ?? step);
}

/** A manifest specifies what is to run: one that was printed while its pod was being deleted describes a new pod. */
function withoutDeletion(pod: Pod, warnings: string[]): Pod {
  const { deletionTimestamp, deletionGracePeriodSeconds, ...metadata } = pod.metadata ?? {};
  if (deletionTimestamp === undefined && deletionGracePeriodSeconds === undefined) return pod;
  const field = deletionTimestamp === undefined ? 'deletionGracePeriodSeconds' : 'deletionTimestamp';
  warnings.push(`metadata.${field}: ignored, the pod is a new one; delete the manifest to delete the pod`);
  return { ...pod, metadata };
}

/** The agent runs no mirror pods: it would ignore the pod. */
const mirrored: FieldProblem = {
  field: `metadata.annotations[${configMirrorAnnotation}]`,
  problem: 'a manifest with this annotation describes a mirror pod, which does not run',
  hint: 'remove the annotation; the agent creates the mirror pod of a static pod itself',
};

type RefusalCode = Parameters<typeof manifestError>[0];

/** Why the document is not a `v1` Pod, from its apiVersion and kind. */
function kindProblem(value: unknown, localObjects: boolean): FieldProblem | undefined {
  const kinds = 'Pod, ConfigMap and Secret of v1, List of v1, and Deployment of apps/v1';
  const asPod = localObjects ? `a manifest may have ${kinds}` : 'a manifest is a Pod: apiVersion: v1, kind: Pod';
  if (!isObject(value)) return { field: '', problem: `must be a map, not ${describeValue(value)}`, hint: asPod };
  const { apiVersion, kind } = value;
  if (typeof kind !== 'string' || kind === '') return { field: 'kind', problem: "Object 'Kind' is missing", hint: asPod };
  if (!localObjects && (kind === 'List' || kind === 'PodList')) {
    return {
      field: 'kind',
      problem: `a ${kind} is not accepted: write each pod as a separate document, with a line "---" between them`,
    };
  }
  if (kind !== 'Pod') return { field: 'kind', problem: `"${kind}" cannot be run from a manifest, only "Pod" can`, hint: asPod };
  if (apiVersion !== 'v1') {
    return { field: 'apiVersion', problem: `must be "v1" for a Pod, not ${shownVersion(apiVersion)}`, hint: asPod };
  }
  return undefined;
}

/** Not the JSON of any value: nesting of thousands of levels would exceed the stack. */
function shownVersion(value: unknown): string {
  if (value === undefined) return 'absent';
  return typeof value === 'string' ? JSON.stringify(value) : describeValue(value);
}

/** The full name of the pod. */
function nameOf(value: unknown, { nodeName }: ManifestOrigin): string | undefined {
  const metadata = isObject(value) ? value.metadata : undefined;
  if (!isObject(metadata) || typeof metadata.name !== 'string' || metadata.name === '') return undefined;
  const namespace = typeof metadata.namespace === 'string' && metadata.namespace !== '' ? metadata.namespace : 'default';
  return podFullName({ metadata: { name: `${metadata.name}-${nodeName.toLowerCase()}`, namespace } });
}
