/** A pod, and in most requests one of its containers, as a path names them. */
export interface PathTarget {
  namespace: string;
  pod: string;
  /** Absent if the path has none. */
  uid?: string;
  /** Empty for `portForward`. */
  container: string;
}

/** The paths of an endpoint, and the parameters that its handler gets from them. */
export type EndpointPath<Params extends object> = {
  /** Authorization and metrics count everything below this path to the endpoint. */
  root: string;
} & (
  | { kind: 'pages'; pages: ReadonlyMap<string, Params> }
  | { kind: 'unchecked'; params: Params }
  | { kind: 'service'; read(rest: readonly string[]): Params | undefined }
);

/** Exactly these paths: without a slash at the end. */
export function pages<Params extends object>(root: string, params: Readonly<Record<string, Params>>): EndpointPath<Params> {
  return { kind: 'pages', root, pages: new Map(Object.entries(params)) };
}

/** A path and all below it, also in other than its shortest form (`//`, `/../`): the handler compares the path itself. */
export function unchecked(root: string): EndpointPath<object> {
  return { kind: 'unchecked', root, params: {} };
}

/** A path, with or without a slash at the end, and the paths below it that `read` accepts. */
export function service<Params extends object>(root: string, read: (rest: readonly string[]) => Params | undefined): EndpointPath<Params> {
  return { kind: 'service', root, read };
}

/** Nothing below the path. */
export const nothingBelow = (rest: readonly string[]): object | undefined => (rest.length === 0 ? {} : undefined);

/** Any path below, as text. */
export const anyBelow = (rest: readonly string[]): { rest: string } => ({ rest: rest.join('/') });

/** `{namespace}/{pod}/{container}`. */
export function containerTarget(rest: readonly string[]): { target: PathTarget } | undefined {
  const [namespace = '', pod = '', container = ''] = rest;
  return rest.length === 3 ? { target: { namespace, pod, container } } : undefined;
}

/** `{namespace}/{pod}/{container}` or `{namespace}/{pod}/{uid}/{container}`. */
export function containerTargetWithUid(rest: readonly string[]): { target: PathTarget } | undefined {
  const [namespace = '', pod = '', uid = '', container = ''] = rest;
  return rest.length === 4 ? { target: { namespace, pod, uid, container } } : containerTarget(rest);
}

/** `{namespace}/{pod}` or `{namespace}/{pod}/{uid}`. */
export function podTarget(rest: readonly string[]): { target: PathTarget } | undefined {
  const [namespace = '', pod = '', uid] = rest;
  if (rest.length !== 2 && rest.length !== 3) return undefined;
  return { target: { namespace, pod, ...(uid !== undefined && { uid }), container: '' } };
}
