/** An entry of a tree, valid during the call that receives it. */
export interface TreeEntry {
  /**
   * The entry's path. The kernel resolves all but its last name from an open folder, so a program that changes the tree meanwhile cannot lead it
   * elsewhere. Use it only with calls that follow no link at the last name, such as `lstat` and `unlink`.
   */
  readonly place: string;
  /** `mount` is the root of another mount, which is not entered. */
  readonly kind: 'folder' | 'mount' | 'other';
}

export type MaybePromise<T> = T | Promise<T>;

export type WalkTree = (root: string, visit: (entry: TreeEntry) => MaybePromise<void>, signal?: AbortSignal) => Promise<void>;
