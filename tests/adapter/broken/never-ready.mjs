// Reads the greeting and says nothing.
import { adapt } from './skeleton.mjs';

await adapt({ hello: () => {} });
