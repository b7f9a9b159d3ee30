// Invents an outcome.
import { adapt, result, send } from './skeleton.mjs';

await adapt({ case: (message) => send({ ...result(message), outcome: 'complete' }) });
