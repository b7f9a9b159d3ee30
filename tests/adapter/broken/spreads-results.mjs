// Introduces itself on one line, and spreads its results over several.
import { adapt, result } from './skeleton.mjs';

await adapt({ case: (message) => process.stdout.write(`${JSON.stringify(result(message), null, 2)}\n`) });
