import type { ImagePulledRecord, ImagePullIntent, PullRecordStore } from './pull-record.js';

/** Records in memory: for tests, and for agents that do not keep images across restarts. */
export function createMemoryPullRecords(): PullRecordStore {
  const intents = new Map<string, ImagePullIntent>();
  const records = new Map<string, ImagePulledRecord>();
  return {
    getIntent: async (image) => intents.get(image),
    writeIntent: async (intent) => void intents.set(intent.image, intent),
    deleteIntent: async (image) => void intents.delete(image),
    listIntents: async () => Array.from(intents.values()),
    getPulledRecord: async (imageRef) => records.get(imageRef),
    writePulledRecord: async (record) => void records.set(record.imageRef, record),
    deletePulledRecord: async (imageRef) => void records.delete(imageRef),
    listPulledRecords: async () => Array.from(records.values()),
  };
}
