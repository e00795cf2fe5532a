import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage, type Logger, NodeAgentError } from '@nodeagent/api';
import { readRegularFile, replaceFile } from '@nodeagent/api/files';
import { isObject } from '@nodeagent/api/helpers';
import { imageErrorCodes } from './errors.js';

const apiVersion = 'kubelet.config.k8s.io/v1beta1';
const filePrefix = 'sha256-';
/** Temporary files of an agent that was killed during a write. */
const unfinishedSuffix = '.tmp';

/** How the entries of a folder are stored. */
export interface RecordFormat<T> {
  kind: string;
  /** Undefined for an invalid entry. */
  parse(value: Record<string, unknown>): T | undefined;
  keyOf(entry: T): string;
}

/** One file per entry; a file whose entry does not match its name is ignored. */
export interface RecordFolder<T> {
  get(key: string): Promise<T | undefined>;
  write(entry: T): Promise<void>;
  remove(key: string): Promise<void>;
  list(): Promise<T[]>;
}

/**
 * Without the file of a damaged record every pod could use the image under the default policy: an image without a record counts as
 * preloaded.
 */
const repair =
  'Pull the image again: a successful pull replaces the file. If no pod needs the image, remove the image from the runtime, then the file.';

const nameOf = (key: string) => filePrefix + createHash('sha256').update(key).digest('hex');

export function createRecordFolder<T extends object>(path: string, format: RecordFormat<T>, logger: Logger): RecordFolder<T> {
  return new Folder(path, format, logger);
}

class Folder<T extends object> implements RecordFolder<T> {
  readonly #path: string;
  readonly #format: RecordFormat<T>;
  readonly #logger: Logger;
  /** Damaged files that were already logged, so that garbage collection does not log them every five minutes. */
  #reported: ReadonlySet<string> = new Set();

  constructor(path: string, format: RecordFormat<T>, logger: Logger) {
    this.#path = path;
    this.#format = format;
    this.#logger = logger;
  }

  async get(key: string): Promise<T | undefined> {
    const entry = await this.#read(this.#fileOf(key));
    return entry && this.#format.keyOf(entry) === key ? entry : undefined;
  }

  async write(entry: T): Promise<void> {
    const file = this.#fileOf(this.#format.keyOf(entry));
    try {
      await replaceFile(file, JSON.stringify({ kind: this.#format.kind, apiVersion, ...entry }), 0o700);
    } catch (error) {
      throw this.#failed('unable to write', file, error);
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.#fileOf(key), { force: true }).catch((error: unknown) => {
      throw this.#failed('unable to remove', this.#fileOf(key), error);
    });
  }

  async list(): Promise<T[]> {
    const entries: T[] = [];
    const damaged = new Set<string>();
    for (const name of await this.#names()) {
      const file = join(this.#path, name);
      /** Whether the file has not been logged yet. */
      const isNew = () => {
        damaged.add(file);
        return !this.#reported.has(file);
      };
      try {
        const entry = await this.#read(file);
        if (entry === undefined) continue;
        entries.push(entry);
        if (nameOf(this.#format.keyOf(entry)) !== name && isNew()) {
          this.#logger.warn({ file, hint: 'Remove the file.' }, `${this.#format.kind} in the file of another image is ignored`);
        }
      } catch (error) {
        if (isNew()) this.#logger.warn({ file, err: error }, `damaged ${this.#format.kind}: pods must pull its image`);
      }
    }
    this.#reported = damaged;
    return entries;
  }

  async #names(): Promise<string[]> {
    try {
      const names = await readdir(this.#path);
      return names.filter((name) => name.startsWith(filePrefix) && !name.endsWith(unfinishedSuffix)).sort();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw this.#failed('unable to list', this.#path, error);
    }
  }

  #fileOf(key: string): string {
    return join(this.#path, nameOf(key));
  }

  #failed(action: string, file: string, cause: unknown, hint?: string): NodeAgentError {
    return new NodeAgentError(imageErrorCodes.pullRecordError, `${action} ${this.#format.kind} in ${file}: ${errorMessage(cause)}`, {
      cause,
      details: { path: file },
      hint,
    });
  }

  async #read(file: string): Promise<T | undefined> {
    let text: string;
    try {
      text = await readRegularFile(file);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw this.#failed('unable to read', file, error, repair);
    }
    try {
      const value: unknown = JSON.parse(text);
      const entry = isObject(value) ? this.#format.parse(value) : undefined;
      if (entry) return entry;
    } catch (error) {
      throw this.#failed('unable to decode', file, error, repair);
    }
    throw this.#failed('unable to decode', file, `no valid ${this.#format.kind}`, repair);
  }
}
