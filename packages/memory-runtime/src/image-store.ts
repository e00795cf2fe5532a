import { sha256 } from '@nodeagent/api/helpers';
import type { Image } from '@nodeagent/cri-api';
import { criError } from './errors.js';
import type { ImageBehaviour } from './image-behaviour.js';
import { normalizeImageName, repositoryOf } from './image-name.js';
import type { ImageProgram, Program, ProgramImage } from './program/program.js';

/** A present image. */
export interface MemoryImage {
  id: string;
  repoTags: string[];
  repoDigests: string[];
  behaviour: ImageBehaviour;
}

/** The images of a runtime. Their ids and digests are derived from their names, so they are the same in every run. */
export class MemoryImageStore {
  readonly #byId = new Map<string, MemoryImage>();
  /** Normalized names, and ids, to records. */
  readonly #byName = new Map<string, MemoryImage>();
  readonly #behaviours = new Map<string, ImageBehaviour>();
  readonly #programs = new Map<string, ImageProgram>();
  readonly #allPresent: boolean;

  constructor(images: 'any' | readonly string[]) {
    this.#allPresent = images === 'any';
    if (images !== 'any') for (const image of images) this.add(image);
  }

  script(name: string, behaviour: ImageBehaviour): void {
    const key = normalizeImageName(name);
    this.#behaviours.set(key, behaviour);
    const record = this.#byName.get(key);
    if (record) record.behaviour = behaviour;
  }

  setProgram(name: string, program: Program, image: ProgramImage): void {
    this.script(name, image);
    this.#programs.set(normalizeImageName(name), { program, image });
  }

  programOf({ repoTags, repoDigests }: MemoryImage): ImageProgram | undefined {
    for (const name of [...repoTags, ...repoDigests]) {
      const found = this.#programs.get(name);
      if (found) return found;
    }
    return undefined;
  }

  behaviourOf(name: string): ImageBehaviour {
    return this.#behaviours.get(normalizeImageName(name)) ?? {};
  }

  add(name: string): MemoryImage {
    const key = normalizeImageName(name);
    const present = this.#byName.get(key);
    if (present) return present;
    const record: MemoryImage = {
      id: `sha256:${sha256(`image ${key}`)}`,
      repoTags: key.includes('@') ? [] : [key],
      repoDigests: [key.includes('@') ? key : `${repositoryOf(key)}@sha256:${sha256(`manifest ${key}`)}`],
      behaviour: this.behaviourOf(key),
    };
    this.#byId.set(record.id, record);
    for (const alias of [record.id, key, ...record.repoDigests]) this.#byName.set(alias, record);
    return record;
  }

  /** By name, digest or id. */
  get(name: string): MemoryImage | undefined {
    if (name === '') return undefined;
    return this.#byName.get(normalizeImageName(name)) ?? (this.#allPresent ? this.add(name) : undefined);
  }

  /** The image for a new container; throws, as a runtime does, if it is absent. */
  require(name: string): MemoryImage {
    const record = this.get(name);
    if (record === undefined) throw criError('CRI_NOT_FOUND', `failed to resolve image "${name}": not found`);
    return record;
  }

  /** Removes the image with all its names; does nothing if it is absent. */
  remove(name: string): void {
    const record = this.#byName.get(normalizeImageName(name));
    if (record === undefined) return;
    this.#byId.delete(record.id);
    for (const alias of [record.id, ...record.repoTags, ...record.repoDigests]) this.#byName.delete(alias);
  }

  list(): MemoryImage[] {
    return [...this.#byId.values()];
  }

  /** Bytes of all images. */
  get usedBytes(): bigint {
    let used = 0n;
    for (const image of this.#byId.values()) used += sizeOf(image);
    return used;
  }
}

export function toImage(record: MemoryImage): Image {
  const { uid, username = '', pinned = false } = record.behaviour;
  return {
    id: record.id,
    repoTags: [...record.repoTags],
    repoDigests: [...record.repoDigests],
    size: sizeOf(record),
    ...(uid !== undefined && { uid: { value: BigInt(uid) } }),
    username,
    spec: { image: record.repoTags[0] ?? record.repoDigests[0] ?? record.id },
    pinned,
  };
}

const sizeOf = ({ behaviour }: MemoryImage) => BigInt(behaviour.size ?? 1_048_576);
