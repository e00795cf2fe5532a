import type { KubeObject } from '@nodeagent/api';
import type { Program } from '@nodeagent/memory-runtime';
import type { TestCluster } from '@nodeagent/test-cluster';
import { containersOf, podTemplateOf } from './check-manifests.js';
import { programOf } from './programs.js';
import { defaultPullMs, pullOf } from './registry.js';

/** The images of a cluster: the registry's, those with programs, and how long their pulls take. */
export class Images {
  readonly #cluster: TestCluster;
  readonly #onProgram: (image: string) => void;
  /** The program of each image that a manifest names, if it has one. */
  readonly #programs = new Map<string, Program | undefined>();
  #pullMs = defaultPullMs;

  constructor(cluster: TestCluster, onProgram: (image: string) => void) {
    this.#cluster = cluster;
    this.#onProgram = onProgram;
  }

  /** Adds an image with a program. Throws if it is invalid. */
  add(object: KubeObject): void {
    const { name, program } = programOf(object, this.#onProgram);
    this.#programs.set(name, program);
    this.#script(name);
  }

  /** Scripts the pulls of the images that an object names. */
  require(object: KubeObject): void {
    for (const { image } of containersOf(podTemplateOf(object).template?.spec)) {
      if (typeof image !== 'string' || this.#programs.has(image)) continue;
      this.#programs.set(image, undefined);
      this.#script(image);
    }
  }

  setDelay(ms: number): void {
    this.#pullMs = ms;
    for (const image of this.#programs.keys()) this.#script(image);
  }

  #script(image: string): void {
    const program = this.#programs.get(image);
    if (program) this.#cluster.image(image, program, { pullMs: this.#pullMs });
    else this.#cluster.scriptImage(image, pullOf(image, this.#pullMs));
  }
}
