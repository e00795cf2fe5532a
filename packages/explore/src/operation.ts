/** A request of the controller under test, in the order of arrival at the API server. */
export interface Operation {
  /** Its number in the run, from 1. */
  readonly index: number;
  /** Virtual time since the start of the run, in milliseconds. */
  readonly at: number;
  /** Which start of the controller sent it, from 1. */
  readonly instance: number;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string;
  /** The plural, with the group if there is one: `pods`, `batches.example.com`. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Whether it is a list that accepts any version of a watch cache (`resourceVersion=0`), as those of informers in Go do. */
  readonly anyVersion: boolean;
  /** The newest resourceVersion before it. */
  readonly revision: number;
  /** The status code of the answer; undefined if the controller got none. */
  status?: number;
}

const reads = ['get', 'list', 'watch'];

export const isWrite = ({ verb }: Operation): boolean => !reads.includes(verb);

/** `12 patch batches.example.com/status default/b` */
export function operationText({ index, verb, resource, subresource, namespace, name }: Operation): string {
  const which = [namespace, name].filter((part) => part !== undefined).join('/');
  return [index, verb, subresource ? `${resource}/${subresource}` : resource, which].filter((part) => part !== '').join(' ');
}
