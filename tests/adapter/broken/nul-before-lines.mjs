// Puts a NUL byte before each result, as a program does that writes the end of a C string.
import { adapt, result } from './skeleton.mjs';

await adapt({ case: (message) => process.stdout.write(`\0${JSON.stringify(result(message))}\n`) });
