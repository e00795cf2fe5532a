import { addTypes } from '../fields/built-in-types.js';
import { previewTypes } from '../fields/types/preview-types.js';

addTypes(previewTypes);

export { InvalidEnvelope, InvalidProtobuf, UnknownKind } from './decode.js';
export { decodeObject, encodeEvent, encodeObject, hasProtobuf, type KindName } from './envelope.js';
export { encodeOpenApi } from './open-api.js';
