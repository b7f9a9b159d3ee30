// Makes up an id.
import { adapt, result, send } from './skeleton.mjs';

await adapt({ case: (message) => send({ ...result(message), id: 'case-1' }) });
