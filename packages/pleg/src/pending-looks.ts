import type { LifeStage } from './container-event.js';

/** A pod that is to be looked at, with what is said to have happened to it. */
export interface PendingLook {
  podUid: string;
  /** Monotonic milliseconds. */
  due: number;
  /** Wanted whatever the events tell. */
  asked: boolean;
  /** How far events say that its containers came. */
  told: Map<string, LifeStage>;
}

/** Containers remembered of one pod; beyond that the pod is looked at anyway. */
const maxTold = 64;

/** The looks that wait, one a pod however many events it had. Holds no more pods than `capacity`. */
export function createPendingLooks(capacity: number) {
  const looks = new Map<string, PendingLook>();

  const entry = (podUid: string, due: number): PendingLook | undefined => {
    const known = looks.get(podUid);
    if (known !== undefined) {
      known.due = Math.min(known.due, due);
      return known;
    }
    if (looks.size >= capacity) return undefined;
    const look: PendingLook = { podUid, due, asked: false, told: new Map() };
    looks.set(podUid, look);
    return look;
  };
  const note = (look: PendingLook, containerId: string, stage: LifeStage) => {
    const before = look.told.get(containerId);
    if (before === undefined && look.told.size >= maxTold) look.asked = true;
    else if (before === undefined || stage > before) look.told.set(containerId, stage);
  };

  return {
    get size() {
      return looks.size;
    },
    /** False if there is no room: then everything is to be looked at. */
    ask(podUid: string, due: number): boolean {
      const look = entry(podUid, due);
      if (look !== undefined) look.asked = true;
      return look !== undefined;
    },
    /** As {@link ask}, but only if it is news by then. */
    tell(podUid: string, containerId: string, stage: LifeStage, due: number): boolean {
      const look = entry(podUid, due);
      if (look !== undefined) note(look, containerId, stage);
      return look !== undefined;
    },
    /** The first that is due, of pods that are not `busy`. */
    take(now: number, busy: (podUid: string) => boolean): PendingLook | undefined {
      for (const look of looks.values()) {
        if (look.due > now || busy(look.podUid)) continue;
        looks.delete(look.podUid);
        return look;
      }
      return undefined;
    },
    /** When the next one falls due, of pods that are not `busy`; infinity if there is none. */
    nextDue(busy: (podUid: string) => boolean): number {
      let due = Number.POSITIVE_INFINITY;
      for (const look of looks.values()) if (look.due < due && !busy(look.podUid)) due = look.due;
      return due;
    },
    /** Empties it: a look at everything takes their place. */
    takeAll(): PendingLook[] {
      const all = [...looks.values()];
      looks.clear();
      return all;
    },
    /** Brings back what was taken and came to nothing, not before `due`. */
    putBack({ podUid, told }: PendingLook, due: number): boolean {
      const look = entry(podUid, due);
      if (look === undefined) return false;
      look.asked = true;
      for (const [containerId, stage] of told) note(look, containerId, stage);
      return true;
    },
  };
}

export type PendingLooks = ReturnType<typeof createPendingLooks>;
