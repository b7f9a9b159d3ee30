// Gives its id as a number.
import { adapt, result, send } from './skeleton.mjs';

await adapt({ case: (message) => send({ ...result(message), id: 5 }) });
