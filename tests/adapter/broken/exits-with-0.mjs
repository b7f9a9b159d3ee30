// Takes the first case for the last one.
import { adapt } from './skeleton.mjs';

await adapt({ case: () => process.exit(0) });
