import type { ResourceList } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { roundAmounts } from '@nodeagent/pod-sources/decisions';
import type { ApiObject } from '../objects.js';

/** Rounds the amounts of an object's ResourceLists, whose paths are given; `[]` stands for each element of a list. */
export const rounds =
  (...paths: string[]) =>
  (object: ApiObject): void => {
    for (const path of paths) for (const list of listsAt(object, path.split('.'))) roundAmounts(list);
  };

function listsAt(value: unknown, [name, ...rest]: readonly string[]): ResourceList[] {
  if (Array.isArray(value)) return value.flatMap((each) => listsAt(each, name === undefined ? [] : [name, ...rest]));
  if (!isObject(value)) return [];
  return name === undefined ? [value as ResourceList] : listsAt(value[name.replace('[]', '')], rest);
}
