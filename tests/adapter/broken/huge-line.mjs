// Its answer is longer than a line may be.
import { adapt, result, send } from './skeleton.mjs';

await adapt({ case: (message) => send({ ...result(message), reason: 'x'.repeat(9 * 1024 * 1024) }) });
